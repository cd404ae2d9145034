/**
 * A server of a benchmark, a process of its own, whose first argument names what it is:
 *   upstream          responds at once like a service, and verifies nothing
 *   authorizer        the authorizer of nginx: accepts every API key
 *   proxy <upstream>  Express and express-http-proxy with the options of the gateway, and nothing else
 */
import { Agent, createServer, type RequestListener, type Server } from 'node:http'
import { createFastServer } from '@payments/chassis/serve'
import { freePorts } from '@payments/devkit/ports'
import express from 'express'
import proxy from 'express-http-proxy'
import { serveParent } from './child-process.ts'

export interface StubReady {
  readonly port: number
}

const [kind = '', upstreamUrl = ''] = process.argv.slice(2)
const servers: Readonly<Record<string, () => Server>> = {
  upstream: () => responding({ id: '01920000-0000-7000-8000-000000000000', amount: 1_000, currency: 'EUR' }),
  authorizer: () =>
    minimal((request, response) => {
      response.writeHead(request.headers.authorization?.startsWith('Bearer psk_') ? 204 : 401).end()
    }),
  proxy: bareProxy,
}
const server = servers[kind]
if (server === undefined) throw new Error(`unknown server ${kind}`)
const ready: StubReady = { port: await listen(server()) }
serveParent(ready, async () => ({}))

function responding(value: unknown): Server {
  const body = JSON.stringify(value)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  return minimal((_request, response) => response.writeHead(200, headers).end(body))
}

function bareProxy(): Server {
  const agent = new Agent({ keepAlive: true })
  const app = express().disable('x-powered-by').disable('etag')
  app.use(
    proxy(upstreamUrl, {
      parseReqBody: false,
      proxyReqOptDecorator: (options) => ({ ...options, agent, headers: {} }),
    }),
  )
  return createFastServer(app)
}

function minimal(listener: RequestListener): Server {
  return createServer({ keepAliveTimeout: 100_000 }, listener)
}

/** A port outside the ephemeral range: another process of the benchmark cannot take it meanwhile. */
async function listen(listening: Server): Promise<number> {
  const [port = 0] = await freePorts(1)
  await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve))
  return port
}
