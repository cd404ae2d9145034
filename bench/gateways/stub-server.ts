/**
 * A server of a benchmark, a separate process, whose first argument names what it is:
 *   upstream          responds at once like a service, and verifies nothing
 *   service           the same, and verifies the assertion of the gateway as a service does
 *   jwt-service <secret>  the same for the assertion of Fastify
 *   proxy <upstream>  Express and express-http-proxy with the options of the gateway, and nothing else
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import { assertionHeader, verifyAssertion } from '@payments/chassis/assertion/assertion'
import { createAppServer } from '@payments/chassis/process/serve'
import { freePorts } from '@payments/devkit/machine/ports'
import express from 'express'
import proxy from 'express-http-proxy'
import { createVerifier, TokenError } from 'fast-jwt'
import { serveParent } from '../measure/child-process.ts'

export interface StubReady {
  readonly port: number
}

/** Of the parent to a `service`: the key of the gateway, in base64, once. */
export interface ServiceRequest {
  readonly gatewayKey?: string
}

export interface ServiceReport {
  /** Time of the synchronous verification of all requests so far. */
  readonly verificationMs: number
}

const keys = new Map<string, KeyObject>()
let verificationMs = 0

const [kind = '', argument = ''] = process.argv.slice(2)
const servers: Readonly<Record<string, () => Server>> = {
  upstream: () => responding(() => true),
  service: () => responding(measureAccepts(isAsserted)),
  'jwt-service': () => responding(measureAccepts(isSigned(argument))),
  proxy: bareProxy,
}
const server = servers[kind]
if (server === undefined) throw new Error(`unknown server ${kind}`)
const ready: StubReady = { port: await listen(server()) }
serveParent<StubReady, ServiceRequest, ServiceReport>(ready, async ({ gatewayKey }) => {
  if (gatewayKey !== undefined) keys.set('gateway', createSecretKey(Buffer.from(gatewayKey, 'base64')))
  return { verificationMs }
})

function responding(accepts: Accepts): Server {
  const body = JSON.stringify({ id: '01920000-0000-7000-8000-000000000000', amount: 1_000, currency: 'EUR' })
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  return createServer({ keepAliveTimeout: 100_000 }, (request, response) => {
    if (accepts(request)) response.writeHead(200, headers).end(body)
    else response.writeHead(401).end()
  })
}

type Accepts = (request: IncomingMessage) => boolean

function measureAccepts(accepts: Accepts): Accepts {
  return (request) => {
    const from = performance.now()
    const isAccepted = accepts(request)
    verificationMs += performance.now() - from
    return isAccepted
  }
}

function isAsserted({ headers, method = '', url: path = '' }: IncomingMessage): boolean {
  return verifyAssertion(readToken(headers), 'payment-proxy', keys, { method, path }) !== undefined
}

/** Each token has its own claims, so a cache of verified tokens would be of no use. */
function isSigned(secret: string): Accepts {
  const verify = createVerifier({ key: secret, algorithms: ['HS256'], allowedAud: 'payment-proxy', cache: false })
  return ({ headers, method, url }) => {
    const token = readToken(headers)
    if (token === undefined) return false
    try {
      const claims = verify(token) as { method?: string; path?: string }
      return claims.method === method && claims.path === url
    } catch (error) {
      if (error instanceof TokenError) return false
      throw error
    }
  }
}

function readToken(headers: IncomingHttpHeaders): string | undefined {
  const token = headers[assertionHeader]
  return typeof token === 'string' ? token : undefined
}

function bareProxy(): Server {
  const agent = new Agent({ keepAlive: true })
  const app = express().disable('x-powered-by').disable('etag')
  app.use(
    proxy(argument, {
      parseReqBody: false,
      proxyReqOptDecorator: (options) => ({ ...options, agent, headers: {} }),
    }),
  )
  return createAppServer(app)
}

/** A port outside the ephemeral range: another process of the benchmark cannot take it meanwhile. */
async function listen(listening: Server): Promise<number> {
  const [port = 0] = await freePorts(1)
  await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve))
  return port
}
