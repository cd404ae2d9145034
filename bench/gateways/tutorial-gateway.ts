/**
 * The gateway as tutorials build it, for comparison: a separate process, whose first argument names what it is.
 *   key-service    Express: knows one API key, in memory
 *   tutorial       the packages of this gateway as their documentation uses them: axios calls the key service for each
 *                  request, jsonwebtoken signs with a string, express-http-proxy has its default options
 * The second argument is the URL of the upstream, the third the URL of the key service. The gateway writes no audit
 * record and limits nothing.
 */
import { hash } from 'node:crypto'
import { freePorts } from '@payments/devkit/machine/ports'
import axios from 'axios'
import express, { type Express, type RequestHandler } from 'express'
import proxy from 'express-http-proxy'
import jsonwebtoken from 'jsonwebtoken'
import { serveParent } from '../measure/child-process.ts'
import type { StubReady } from './stub-server.ts'

const secret = 'a secret of a benchmark, shared by gateway and services'
const tenantId = '01920000-0000-7000-8000-00000000000a'

const [kind = '', upstreamUrl = '', keyServiceUrl = ''] = process.argv.slice(2)
const kinds: Readonly<Record<string, () => Express>> = { 'key-service': keyService, tutorial: tutorialGateway }
const createApp = kinds[kind]
if (createApp === undefined) throw new Error(`unknown gateway ${kind}`)
const [port = 0] = await freePorts(1)
createApp().listen(port, '127.0.0.1')
const ready: StubReady = { port }
serveParent(ready, async () => ({}))

function keyService(): Express {
  const app = express()
  app.post('/verify', express.json(), (request, response) => {
    response.json(buildIdentity(String(request.body.key_hash)))
  })
  return app
}

/** The identity of a key by its hash. Each key that is seen is valid. */
function buildIdentity(keyHash: string) {
  return { id: keyHash.slice(0, 32), tenant_id: tenantId, permissions: ['transaction:ReadTransaction'] }
}

function readKeyHash(authorization: string | undefined): string | undefined {
  const bearer = /^Bearer (psk_\w+)$/.exec(authorization ?? '')?.[1]
  return bearer === undefined ? undefined : hash('sha256', bearer)
}

function tutorialGateway(): Express {
  const app = express()
  const authenticate: RequestHandler = async (request, response, next) => {
    const keyHash = readKeyHash(request.headers.authorization)
    if (keyHash === undefined) {
      response.status(401).end()
      return
    }
    const { data: key } = await axios.post(`${keyServiceUrl}/verify`, { key_hash: keyHash })
    response.locals['assertion'] = jsonwebtoken.sign({ tenant: key.tenant_id, permissions: key.permissions }, secret, {
      subject: key.id,
      expiresIn: 30,
    })
    next()
  }
  const forward = proxy(upstreamUrl, {
    proxyReqOptDecorator: (options, request) => {
      const headers = { ...options.headers, 'internal-assertion': request.res?.locals['assertion'] }
      return { ...options, headers }
    },
  })
  app.use(authenticate, forward)
  return app
}
