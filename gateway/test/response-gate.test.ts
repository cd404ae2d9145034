import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { AuditSpool } from '../src/audit/spool.ts'
import { revealBytesMax, revealBytesTotalMax } from '../src/pipeline/relay.ts'
import { auditIn, credentialHeaders, startWorld, type TestTenant, until, type World } from './world.ts'

/** Tests use a raw socket, since a client library may hide bytes that arrive before the end. */
const reveal = `/v1/webhooks/${randomUUID()}/webhooks/reveal`
const streamed = '/v1/payment-proxy/transactions'
const secret = 'whsec_'

/** Called between pipeline and file: the test decides when a durable record counts as written, or fails. */
type Sync = (done: (error?: Error) => void, error: Error | undefined) => void
const immediately: Sync = (done, error) => done(error)

let world: World
let tenant: TestTenant
let sync: Sync = immediately

beforeAll(async () => {
  world = await startWorld({
    alter: (deps) => {
      const append: AuditSpool['append'] = (record, isDurable, done) =>
        deps.audit.append(record, isDurable, (error) => (isDurable ? sync : immediately)(done, error))
      return { ...deps, audit: { ...deps.audit, append } }
    },
  })
  tenant = await world.tenant()
})
afterEach(() => {
  sync = immediately
})
afterAll(() => world.stop())

/** The service responds in chunks, one per event loop round. Resolves when the gateway has consumed the response. */
function respondWith(bytes: number): Promise<void> {
  return new Promise((consumed) => {
    world.upstream.respond(async (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      const chunk = secret.repeat(Math.ceil((64 * 1024) / secret.length)).slice(0, 64 * 1024)
      for (let sent = 0; sent < bytes; sent += chunk.length) {
        if (!response.write(chunk)) await new Promise((drained) => response.once('drain', drained))
        await delay(0)
      }
      response.end(() => consumed())
    })
  })
}

function send(path: string) {
  const traceId = randomUUID()
  const lines = Object.entries(credentialHeaders({ ...tenant.admin, traceId })).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const socket = connect(world.port, '127.0.0.1', () => {
    socket.write([`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines, '', ''].join('\r\n'))
  })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const received = () => Buffer.concat(chunks).toString('latin1')
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received())))
  return { traceId, socket, received, ended }
}

const findRecords = (traceId: string) => auditIn(world.auditDirectory).filter((record) => record.trace_id === traceId)

test('no byte of a reveal of several hundred KiB leaves before its record is on the disk, headers included', async () => {
  let release: (() => void) | undefined
  sync = (done) => {
    release = done
  }
  const bytes = 640 * 1024
  const consumed = respondWith(bytes)
  const { traceId, received, ended } = send(reveal)
  await consumed
  await until(() => release && findRecords(traceId)[0])
  // Later requests have their responses, so bytes that could leave have left.
  for (let i = 0; i < 5; i++) await world.send('get', '/v1/api-key/keys', tenant.admin).expect(200)
  expect(received()).toBe('')
  release?.()
  const response = await ended
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(response.split('\r\n\r\n')[1]).toHaveLength(bytes)
})

test('when the record cannot be synced, the client gets 503 and no byte of the secret', async () => {
  sync = (done) => done(new Error('the disk failed'))
  const consumed = respondWith(640 * 1024)
  const { traceId, ended } = send(reveal)
  const response = await ended
  await consumed
  expect(response).toMatch(/^HTTP\/1\.1 503 /)
  expect(response).toContain('"code":"audit_unavailable"')
  expect(response).not.toContain(secret)
  expect(findRecords(traceId)).toMatchObject([{ operation: 'revealSubscriptions', status: 200 }])
})

test('a client that disconnects meanwhile gets no byte', async () => {
  let release: (() => void) | undefined
  sync = (done) => {
    release = done
  }
  const consumed = respondWith(640 * 1024)
  const { traceId, socket, received } = send(reveal)
  await consumed
  await until(() => findRecords(traceId)[0] && release)
  socket.destroy()
  release?.()
  await world.send('get', '/v1/api-key/keys', tenant.admin).expect(200)
  expect(received()).toBe('')
})

test('a reveal above the buffer limit gets 500 without a byte of the secret, leaves its record, and frees its buffer', async () => {
  // Enough times to exhaust the total limit, if a buffer were not freed.
  for (let i = 0; i <= revealBytesTotalMax / revealBytesMax; i++) {
    tenant = await world.tenant()
    void respondWith(revealBytesMax + 64 * 1024)
    const { traceId, ended } = send(reveal)
    const response = await ended
    expect(response).toMatch(/^HTTP\/1\.1 500 /)
    expect(response).not.toContain(secret)
    expect(findRecords(traceId)).toMatchObject([{ operation: 'revealSubscriptions', status: 200 }])
  }
  void respondWith(revealBytesMax)
  expect((await send(reveal).ended).split('\r\n\r\n')[1]).toHaveLength(revealBytesMax)
}, 120_000)

test('the buffers of all reveals together are limited; one more gets 500', async () => {
  const releases: (() => void)[] = []
  sync = (done) => void releases.push(done)
  const held: Promise<string>[] = []
  for (let i = 0; i < revealBytesTotalMax / revealBytesMax; i++) {
    tenant = await world.tenant()
    const consumed = respondWith(revealBytesMax)
    held.push(send(reveal).ended)
    await consumed
    await until(() => (releases.length === held.length ? true : undefined))
  }
  tenant = await world.tenant()
  void respondWith(64 * 1024)
  const oneMore = send(reveal).ended
  await until(() => (releases.length > held.length ? true : undefined))
  for (const release of releases) release()
  expect(await oneMore).toMatch(/^HTTP\/1\.1 500 /)
  for (const response of await Promise.all(held)) expect(response).toMatch(/^HTTP\/1\.1 200 /)
}, 120_000)

test('a response without a secret is streamed', async () => {
  const endings: (() => void)[] = []
  world.upstream.respond((_request, response) => {
    response.write('first')
    endings.push(() => response.end('last'))
  })
  const { received, ended } = send(streamed)
  await until(() => (received().includes('firs') ? true : undefined))
  endings[0]?.()
  expect(await ended).toContain('last')
})
