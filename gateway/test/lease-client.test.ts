import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { afterEach, describe, expect, test } from '@jest/globals'
import { listen, stopServer } from '@payments/chassis/process/serve'
import { leaseBounds, parseLeaseRequest, type RequestCounts } from '@payments/contracts/endpoints/authorization-lease'
import { createLeaseClient, sendReport, versionReader } from '../src/authorization/lease-client.ts'

const keys = new Map([['rbac', createSecretKey(randomBytes(32))]])
const version = { incarnation: 'one', epoch: 1, invalidated: [], lease_ms: 100 }
const body = { replica: randomUUID(), requests: [{ subject: 'a', requests: 1, per_second: 1 }] }
const counts = { replicas: 2, full_in_seconds: [1] }

let server: Server
afterEach(() => stopServer(server, 0))

/** A source that records the bodies of its calls. */
async function sourceWith(respond: RequestListener, timeoutMs = 20_000) {
  const bodies: string[] = []
  const ports = new Set<number | undefined>()
  server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    ports.add(request.socket.remotePort)
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    bodies.push(text)
    respond(request, response)
  })
  const baseUrl = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  return { call: createLeaseClient({ service: 'rbac', baseUrl, keys, timeoutMs }), bodies, ports }
}

const replying =
  (reply: unknown): RequestListener =>
  (_, response) =>
    void response.end(JSON.stringify(reply))

/** A report that records its end. */
function reported() {
  const ends: unknown[] = []
  const report = {
    body,
    succeed: (given: RequestCounts | undefined) => void ends.push(given),
    fail: (error: unknown) => void ends.push(error),
  }
  return { ends, report }
}

test('calls one after the other share a connection, and calls at the same time have one each', async () => {
  const { call, ports } = await sourceWith(replying({ lease: version }))
  for (let i = 0; i < 3; i += 1) expect(await call({ lease: { since: 1 } })).toEqual({ lease: version })
  expect(ports.size).toBe(1)
  await Promise.all([1, 2, 3].map(() => call({ lease: {} })))
  expect(ports.size).toBeLessThanOrEqual(3)
})

test('a lease that meets a closed connection is requested again at once, without the report', async () => {
  let calls = 0
  const { call, bodies } = await sourceWith((request, response) => {
    calls += 1
    if (calls === 2) request.socket.resetAndDestroy()
    else response.end(JSON.stringify({ lease: version }))
  })
  const { ends, report } = reported()
  const read = versionReader(call, () => (calls === 1 ? report : undefined))
  expect([await read(0), await read(1)]).toEqual([version, version])
  expect(bodies.map(parseLeaseRequest)).toEqual([
    { lease: { since: 0 } },
    { lease: { since: 1 }, report: body },
    { lease: { since: 1 } },
  ])
  expect(ends).toEqual([undefined])
})

test('a report that meets a closed connection is not sent again', async () => {
  let calls = 0
  const { call, bodies } = await sourceWith((request, response) => {
    calls += 1
    if (calls === 1) response.end(JSON.stringify({ lease: version }))
    else request.socket.resetAndDestroy()
  })
  await call({ lease: {} })
  const { ends, report } = reported()
  await sendReport(call, report)
  expect([bodies.length, ends]).toEqual([2, [expect.objectContaining({ code: 'service_unavailable' })]])
})

describe('a read of the version takes a report along', () => {
  test.each<[string, object, unknown]>([
    ['that was counted', { lease: version, counts }, counts],
    ['that was not counted', { lease: version, counts: null }, expect.any(Error)],
    ['that is counted slowly', { lease: version }, undefined],
  ])('%s', async (_, reply, end) => {
    const { call } = await sourceWith(replying(reply))
    const { ends, report } = reported()
    expect(await versionReader(call, () => report)(1)).toEqual(version)
    expect(ends).toEqual([end])
  })

  test('and fails with it', async () => {
    const { call } = await sourceWith((_, response) => void response.writeHead(503).end('{}'))
    const { ends, report } = reported()
    await expect(versionReader(call, () => report)(1)).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(ends).toEqual([expect.objectContaining({ code: 'service_unavailable' })])
  })
})

const change = { kind: 'key', id: randomUUID() }
const unusable: [string, RequestListener, number?][] = [
  ['does not respond', () => {}, 100],
  [
    'does not end its response',
    (_, response) => {
      response.write('{')
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    },
    100,
  ],
  ['fails', (_, response) => void response.writeHead(500).end('{}')],
  ['rejects the signature', (_, response) => void response.writeHead(401).end('{}')],
  ['closes the connection', (request) => void request.socket.destroy()],
  [
    'truncates its response',
    (request, response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('{', () => request.socket.destroy())
    },
  ],
  ['responds with too many bytes', (_, response) => void response.end(`"${'x'.repeat(leaseBounds.replyBytesMax)}"`)],
  ['responds with no JSON', (_, response) => void response.end('{')],
  ['responds without a lease', replying({})],
  ['responds with no incarnation', replying({ lease: { ...version, incarnation: undefined } })],
  ['responds with an epoch with a fraction', replying({ lease: { ...version, epoch: 1.5 } })],
  ['grants a lease for ever', replying({ lease: { ...version, lease_ms: 1e9 } })],
  ['grants a negative lease', replying({ lease: { ...version, lease_ms: -1 } })],
  ['names changes that are no list', replying({ lease: { ...version, invalidated: {} } })],
  ['names a change without an id', replying({ lease: { ...version, invalidated: [{ kind: 'key' }] } })],
  ['names too many changes', replying({ lease: { ...version, invalidated: Array(1_001).fill(change) } })],
  ['responds with a catalogue that is no text', replying({ lease: { ...version, catalogue: 1 } })],
  ['counts no replica', replying({ lease: version, counts: { ...counts, replicas: 0 } })],
  ['counts in text', replying({ lease: version, counts: { ...counts, full_in_seconds: ['1'] } })],
]

test.each(unusable.map(([name, respond, timeoutMs = 20_000]) => [name, respond, timeoutMs] as const))(
  'a source that %s is unavailable',
  async (_, respond, timeoutMs) => {
    const { call } = await sourceWith(respond, timeoutMs)
    await expect(versionReader(call)(1)).rejects.toMatchObject({ code: 'service_unavailable', status: 503 })
  },
)

test('a member that this release does not know is ignored', async () => {
  const { call } = await sourceWith(replying({ lease: { ...version, later: 1 }, later: 1 }))
  expect(await versionReader(call)(1)).toMatchObject(version)
})
