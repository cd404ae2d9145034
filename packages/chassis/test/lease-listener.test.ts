import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import {
  authorizationLeasePath,
  leaseBounds,
  type RequestReport,
} from '@payments/contracts/endpoints/authorization-lease'
import { deriveLeaseKey, leaseSignatureHeader, signLeaseCall } from '../src/assertion/lease-signature.ts'
import { createAppServer, listen, stopServer } from '../src/process/serve.ts'
import { edgeKey, libraryApp } from './world.ts'

const version = { incarnation: 'one', epoch: 7, invalidated: [], lease_ms: 100 }
const report: RequestReport = {
  replica: randomUUID(),
  requests: [{ subject: 'a', requests: 2, per_second: 200 }],
}

/** The calls of the source. */
const called: { reads: (number | undefined)[]; reports: RequestReport[] } = { reads: [], reports: [] }
const source = {
  read: async () => version,
  count: async () => ({ replicas: 2, full_in_seconds: [0.01] }) as const,
} as { read: () => Promise<typeof version>; count: () => Promise<{ replicas: number; full_in_seconds: number[] }> }
const real = { ...source }
const app = libraryApp({
  leases: {
    versions: {
      read(since) {
        called.reads.push(since)
        return source.read()
      },
    },
    catalogue: 'first',
    countRequests(given) {
      called.reports.push(given)
      return source.count()
    },
  },
})

let server: Server
let port: number
let url: string
beforeAll(async () => {
  server = createAppServer(app)
  port = await listen(server, { host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${port}${authorizationLeasePath}`
})
afterAll(() => stopServer(server, 0))
beforeEach(() => {
  Object.assign(source, real)
  Object.assign(called, { reads: [], reports: [] })
})
afterEach(() => {
  app.disable('draining')
  jest.restoreAllMocks()
})

interface Signing {
  readonly issuer?: string
  readonly key?: KeyObject
  readonly path?: string
  readonly method?: string
  readonly audience?: string
}

function sign(body: string, signing: Signing = {}): string {
  const { issuer = 'gateway', key = edgeKey, path = authorizationLeasePath } = signing
  const { method = 'POST', audience = 'library' } = signing
  return signLeaseCall({ method, path, audience }, { issuer, key: deriveLeaseKey(key) }, Buffer.from(body))
}

const send = (body: string, signature: string | undefined = sign(body)) =>
  fetch(url, { method: 'POST', body, headers: signature === '' ? {} : { [leaseSignatureHeader]: signature } })

const call = async (body: object) => (await send(JSON.stringify(body))).json()

describe('a call of the gateway', () => {
  test('gets the version with the catalogue of the source, and the counts of its report', async () => {
    expect(await call({ lease: { since: 5 }, report })).toEqual({
      lease: { ...version, catalogue: 'first' },
      counts: { replicas: 2, full_in_seconds: [0.01] },
    })
    expect(called).toEqual({ reads: [5], reports: [report] })
    expect(await call({ lease: {} })).toEqual({ lease: { ...version, catalogue: 'first' } })
    expect(await call({ report })).toEqual({ counts: { replicas: 2, full_in_seconds: [0.01] } })
    expect(called.reads).toEqual([5, undefined])
  })

  test('gets its lease although the report cannot be counted', async () => {
    source.count = () => Promise.reject(new Error('no session'))
    expect(await call({ lease: {}, report })).toEqual({ lease: { ...version, catalogue: 'first' }, counts: null })
    expect(await call({ report })).toEqual({ counts: null })
  })

  test('gets its lease without the counts of a report that is counted slowly', async () => {
    source.count = () => new Promise(() => {})
    expect(await call({ lease: {}, report })).toEqual({ lease: { ...version, catalogue: 'first' } })
  })

  test('gets a bare 500 when the version cannot be read', async () => {
    source.read = () => Promise.reject(new Error('secret'))
    const reply = await send('{"lease":{}}')
    expect(reply.status).toBe(500)
    expect(await reply.text()).not.toContain('secret')
  })

  test('is measured, and closes its connection while the process drains', async () => {
    const before = await send('{"lease":{}}')
    app.enable('draining')
    const after = await send('{"lease":{}}')
    expect([before, after].map(({ headers }) => headers.get('connection'))).toEqual(['keep-alive', 'close'])
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(metrics).toMatch(
      /http_request_duration_seconds_count\{[^}]*operation="acquireAuthorizationLease",status="200"/,
    )
  })
})

describe('nothing is read or counted, and the reply is a problem, for', () => {
  const body = JSON.stringify({ lease: { since: 1 }, report })
  const otherKey = createSecretKey(randomBytes(32))
  /** At another time than now. */
  const signedAt = (seconds: number) => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + seconds * 1_000)
    const signature = sign(body)
    clock.mockRestore()
    return signature
  }
  const forged: [string, () => string][] = [
    ['no signature', () => ''],
    ['the signature of another key', () => sign(body, { key: otherKey })],
    [
      'the key of the pair itself',
      () =>
        signLeaseCall(
          { method: 'POST', path: authorizationLeasePath, audience: 'library' },
          { issuer: 'gateway', key: edgeKey },
          Buffer.from(body),
        ),
    ],
    ['another issuer', () => sign(body, { issuer: 'reader' })],
    ['the signature of another path', () => sign(body, { path: '/internal/count' })],
    ['the signature of another method', () => sign(body, { method: 'PUT' })],
    ['the signature for another source', () => sign(body, { audience: 'rbac' })],
    ['the signature of another body', () => sign(body.replace('"since":1', '"since":2'))],
    ['a signature of 31 s ago', () => signedAt(-31)],
    ['a signature of the future', () => signedAt(32)],
    [
      'a signature whose time was changed',
      () => sign(body).replace(/\.\d+\./, `.${Math.floor(Date.now() / 1_000) - 1}.`),
    ],
    ['a truncated signature', () => sign(body).slice(0, -2)],
    ['a signature with another part', () => `${sign(body)}.x`],
    ['a long header', () => `gateway.${'1'.repeat(300)}.x`],
  ]

  test.each(forged)('%s: 401', async (_, signature) => {
    const reply = await send(body, signature())
    expect([reply.status, await reply.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'invalid_credentials', trace_id: reply.headers.get('trace-id') }),
    ])
    expect(called).toEqual({ reads: [], reports: [] })
  })

  test('a signature of 29 s ago is valid', async () => {
    expect((await send(body, signedAt(-29))).status).toBe(200)
  })

  const counted = { subject: 'a', requests: 1, per_second: 1 }
  const shapes: [string, string | object][] = [
    ['no JSON', '{'],
    ['no object', '[]'],
    ['neither lease nor report', {}],
    ['another member', { lease: {}, other: 1 }],
    ['a member named __proto__', '{"lease":{},"__proto__":{}}'],
    ['a lease that is no object', { lease: null }],
    ['another member of the lease', { lease: { since: 1, until: 2 } }],
    ['a negative epoch', { lease: { since: -1 } }],
    ['an epoch with a fraction', { lease: { since: 1.5 } }],
    ['an epoch that is no number', { lease: { since: '1' } }],
    ['a report without a replica', { report: { requests: [] } }],
    ['a replica that is no UUID', { report: { ...report, replica: 'one' } }],
    ['requests that are no list', { report: { ...report, requests: {} } }],
    ['501 subjects', { report: { ...report, requests: Array.from({ length: 501 }, () => counted) } }],
    ['as many invalid subjects as fit', { report: { ...report, requests: Array.from({ length: 40_000 }, () => 0) } }],
    ['a long subject', { report: { ...report, requests: [{ ...counted, subject: 'a'.repeat(65) }] } }],
    ['no request of a subject', { report: { ...report, requests: [{ ...counted, requests: 0 }] } }],
    ['too many requests of a subject', { report: { ...report, requests: [{ ...counted, requests: 1_000_001 }] } }],
    ['a rate of zero', { report: { ...report, requests: [{ ...counted, per_second: 0 }] } }],
    ['another member of a subject', { report: { ...report, requests: [{ ...counted, tenant: 'a' }] } }],
  ]
  test.each(shapes)('%s: 400', async (_, shape) => {
    const reply = await send(typeof shape === 'string' ? shape : JSON.stringify(shape))
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([400, 'invalid_request'])
    expect(called).toEqual({ reads: [], reports: [] })
  })

  test('a report to a source that counts no requests: 400', async () => {
    const reads: unknown[] = []
    const read = async (since: number | undefined) => {
      reads.push(since)
      return version
    }
    const other = createAppServer(libraryApp({ leases: { versions: { read } } }))
    const otherPort = await listen(other, { host: '127.0.0.1', port: 0 })
    const headers = { [leaseSignatureHeader]: sign(body) }
    const reply = await fetch(`http://127.0.0.1:${otherPort}${authorizationLeasePath}`, {
      method: 'POST',
      body,
      headers,
    })
    await stopServer(other, 0)
    expect([reply.status, reads]).toEqual([400, []])
  })

  test('more than 96 KiB: 413, and the connection is closed', async () => {
    const reply = await send(`"${'a'.repeat(leaseBounds.requestBytesMax)}"`)
    expect([reply.status, reply.headers.get('connection')]).toEqual([413, 'close'])
    expect(called).toEqual({ reads: [], reports: [] })
  })

  test('a body without a signature, which is not read: 401, and the connection is closed', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST ${authorizationLeasePath} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`)
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    await once(socket, 'close')
    expect(text).toMatch(/^HTTP\/1\.1 401 [^]*Connection: close/)
  })

  test.each(['GET', 'PUT'])('the method %s: no listener before the contract serves it', async (method) => {
    const reply = await fetch(url, { method })
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([404, 'route_not_found'])
    expect(called).toEqual({ reads: [], reports: [] })
  })
})
