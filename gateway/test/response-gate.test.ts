import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { bufferedBytesMax, bufferedBytesTotalMax } from '../src/audit/response-gate.ts'
import type { AuditSpool } from '../src/audit/spool.ts'
import { auditIn, headersOf, startWorld, type TestTenant, until, type World } from './world.ts'

/** Over a raw socket, since a client library may hide what arrived before the end. */
const reveal = `/v1/webhooks/${randomUUID()}/webhooks/reveal`
const ordinary = '/v1/payment-proxy/transactions'
const secret = 'whsec_'

/** Stands between pipeline and file: records are on the disk when the test says so, or never. */
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

/** The service's response comes in pieces, each in a round of its own; resolves when all of it was taken. */
function respondWith(bytes: number): Promise<void> {
  return new Promise((taken) => {
    world.upstream.answer(async (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      const piece = secret.repeat(Math.ceil((64 * 1024) / secret.length)).slice(0, 64 * 1024)
      for (let sent = 0; sent < bytes; sent += piece.length) {
        if (!response.write(piece)) await new Promise((drained) => response.once('drain', drained))
        await delay(0)
      }
      response.end(() => taken())
    })
  })
}

function ask(path: string) {
  const traceId = randomUUID()
  const lines = Object.entries(headersOf({ ...tenant.admin, traceId })).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(world.port, '127.0.0.1', () => {
    socket.write([`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines, '', ''].join('\r\n'))
  })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const received = () => Buffer.concat(chunks).toString('latin1')
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received())))
  return { traceId, socket, received, ended }
}

const recordsOf = (traceId: string) => auditIn(world.auditDirectory).filter((record) => record.trace_id === traceId)

test('no byte of a reveal of several hundred KiB leaves before its record is on the disk, headers included', async () => {
  let release: (() => void) | undefined
  sync = (done) => {
    release = done
  }
  const bytes = 640 * 1024
  const taken = respondWith(bytes)
  const { traceId, received, ended } = ask(reveal)
  await taken
  await until(() => release && recordsOf(traceId)[0])
  // Whatever could have left has left when later requests have been answered.
  for (let i = 0; i < 5; i++) await world.send('get', '/v1/api-key/keys', tenant.admin).expect(200)
  expect(received()).toBe('')
  release?.()
  const response = await ended
  expect(response).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(response.split('\r\n\r\n')[1]).toHaveLength(bytes)
})

test('when the record cannot be synced, the client gets 503 and no byte of the secret', async () => {
  sync = (done) => done(new Error('the disk is gone'))
  const taken = respondWith(640 * 1024)
  const { traceId, ended } = ask(reveal)
  const response = await ended
  await taken
  expect(response).toMatch(/^HTTP\/1\.1 503 /)
  expect(response).toContain('"code":"audit_unavailable"')
  expect(response).not.toContain(secret)
  expect(recordsOf(traceId)).toMatchObject([{ operation: 'revealSubscriptions', status: 200 }])
})

test('a client that disconnects meanwhile gets no byte', async () => {
  let release: (() => void) | undefined
  sync = (done) => {
    release = done
  }
  const taken = respondWith(640 * 1024)
  const { traceId, socket, received } = ask(reveal)
  await taken
  await until(() => recordsOf(traceId)[0] && release)
  socket.destroy()
  release?.()
  await world.send('get', '/v1/api-key/keys', tenant.admin).expect(200)
  expect(received()).toBe('')
})

test('a reveal above the buffer limit gets 500 without a byte of the secret, leaves its record, and frees its buffer', async () => {
  // As often as would exhaust the bytes of all responses, if one were not given back.
  for (let i = 0; i <= bufferedBytesTotalMax / bufferedBytesMax; i++) {
    const other = await world.tenant()
    tenant = other
    void respondWith(bufferedBytesMax + 64 * 1024)
    const { traceId, ended } = ask(reveal)
    const response = await ended
    expect(response).toMatch(/^HTTP\/1\.1 500 /)
    expect(response).not.toContain(secret)
    expect(recordsOf(traceId)).toMatchObject([{ operation: 'revealSubscriptions', status: 200 }])
  }
  void respondWith(bufferedBytesMax)
  expect((await ask(reveal).ended).split('\r\n\r\n')[1]).toHaveLength(bufferedBytesMax)
}, 120_000)

test('a response without a secret is streamed', async () => {
  const pieces: (() => void)[] = []
  world.upstream.answer((_request, response) => {
    response.write('first')
    pieces.push(() => response.end('last'))
  })
  const { received, ended } = ask(ordinary)
  await until(() => (received().includes('firs') ? true : undefined))
  pieces[0]?.()
  expect(await ended).toContain('last')
})
