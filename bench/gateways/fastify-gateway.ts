/**
 * Fastify and its plugins with the duties of the gateway, as their documentation recommends: persistent connections,
 * prepared statements, one signer, an asynchronous log. Each request reads its key in PostgreSQL, so that a revocation
 * binds the next one. The arguments are the URLs of upstream and database, a directory for audit records and log, and
 * the secret of the assertions.
 */
import { hash } from 'node:crypto'
import { fdatasync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import httpProxy from '@fastify/http-proxy'
import jwt from '@fastify/jwt'
import rateLimit from '@fastify/rate-limit'
import { freePorts } from '@payments/devkit/machine/ports'
import { fastify, LogController } from 'fastify'
import pg from 'pg'
import { pino } from 'pino'
import { serveParent } from '../measure/child-process.ts'
import type { StubReady } from './stub-server.ts'

/** The prefix of the routes that are proxied, and the permission that each request needs. */
const prefix = '/v1/payment-proxy'
const permission = 'transaction:ReadTransaction'
const unlimited = 1_000_000_000
/** As in the gateway: a record is on the disk at most this long after its response. */
const syncIntervalMs = 100

declare module 'fastify' {
  interface FastifyRequest {
    key: Key | null
    assertion: string
  }
}

interface Key {
  readonly id: string
  readonly tenantId: string
  readonly isAllowed: boolean
}

const [upstreamUrl = '', databaseUrl = '', directory = '', secret = ''] = process.argv.slice(2)
const database = new pg.Pool({ connectionString: databaseUrl, max: 10 })
const append = auditFile(join(directory, 'audit.log'))
const log = pino(
  { level: 'info' },
  pino.destination({ dest: join(directory, 'access.log'), sync: false, minLength: 4_096 }),
)
const app = fastify({
  loggerInstance: log,
  logController: new LogController({ disableRequestLogging: true }),
  requestIdHeader: 'trace-id',
  keepAliveTimeout: 100_000,
})

app.decorateRequest('key', null)
app.decorateRequest('assertion', '')
app.addHook('onRequest', async (request, reply) => {
  const bearer = /^Bearer (psk_\w+)$/.exec(request.headers.authorization ?? '')?.[1]
  const key = bearer === undefined ? undefined : await findKey(hash('sha256', bearer))
  if (key === undefined) return reply.code(401).send()
  request.key = key
  if (!key.isAllowed) return reply.code(403).send()
  return undefined
})
app.addHook('onSend', async (request, reply) => {
  const { id, method, url, ip, key } = request
  const record = { at: Date.now(), trace_id: id, key: key?.id, tenant: key?.tenantId, method, url, ip }
  append(`${JSON.stringify({ ...record, status: reply.statusCode, ms: reply.elapsedTime })}\n`)
})
app.addHook('onResponse', async (request, reply) => {
  const { method, url, key } = request
  const ms = Math.round(reply.elapsedTime)
  request.log.info({ method, url, status: reply.statusCode, ms, key: key?.id }, 'request')
})
await app.register(jwt, {
  secret,
  sign: { algorithm: 'HS256', expiresIn: '30s', iss: 'gateway', aud: 'payment-proxy' },
})
await app.register(rateLimit, {
  hook: 'preHandler',
  max: unlimited,
  timeWindow: 1_000,
  keyGenerator: ({ key, ip }) => key?.id ?? ip,
})
await app.register(httpProxy, {
  upstream: upstreamUrl,
  prefix,
  rewritePrefix: prefix,
  disableRequestLogging: true,
  undici: { connections: 64, pipelining: 1, keepAliveTimeout: 60_000 },
  preHandler: async (request) => {
    const { id: traceId, method, url: path, key } = request
    const claims = { sub: key?.id, tenant: key?.tenantId, permissions: [permission], trace_id: traceId, method, path }
    request.assertion = app.jwt.sign(claims)
  },
  replyOptions: {
    rewriteRequestHeaders: (request, { host, accept }) => ({
      host,
      ...(accept === undefined ? {} : { accept }),
      'trace-id': request.id,
      'internal-assertion': request.assertion,
    }),
  },
})
const [port = 0] = await freePorts(1)
await app.listen({ port, host: '127.0.0.1' })
const ready: StubReady = { port }
serveParent(ready, async () => ({}))

async function findKey(keyHash: string): Promise<Key | undefined> {
  const { rows } = await database.query<Key>({
    name: 'find-key',
    text: `
      SELECT id::text AS id, tenant_id::text AS "tenantId",
        EXISTS (SELECT 1 FROM role_permissions r WHERE r.role_id = k.role_id AND r.permission = $2) AS "isAllowed"
      FROM api_keys k
      WHERE key_hash = $1 AND enabled AND (expires_at IS NULL OR expires_at > now())`,
    values: [keyHash, permission],
  })
  return rows[0]
}

/** Returns a function that appends a line with one call. The disk follows within `syncIntervalMs`. */
function auditFile(path: string): (line: string) => void {
  const descriptor = openSync(path, 'a')
  let timer: NodeJS.Timeout | undefined
  const sync = () => {
    timer = undefined
    fdatasync(descriptor, (error) => {
      if (error !== null) throw error
    })
  }
  return (line) => {
    writeSync(descriptor, line)
    timer ??= setTimeout(sync, syncIntervalMs)
  }
}
