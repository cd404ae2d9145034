/** @slow It waits for the time-outs of production. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DatabaseUnavailable } from '@payments/chassis/database/errors'
import { isOutage } from '@payments/messaging/consume/outage'
import { createApp } from '../src/app.ts'
import { openDatabase } from '../src/store/database.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/**
 * The database of the world behind a relay. `leave` ends its sessions, and every later connection is refused. After
 * `silence`, its sessions get no response, and later ones do.
 */
async function databaseBehindRelay() {
  const { hostname, port } = new URL(world.database.url)
  const sockets = new Set<Socket>()
  const clients = new Map<Socket, Socket>()
  const relay = createServer((client) => {
    const server = connect(Number(port), hostname)
    clients.set(client, server)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(world.database.url)
  url.hostname = '127.0.0.1'
  url.port = String((relay.address() as AddressInfo).port)
  const db = openDatabase(url.href)
  const leave = async () => {
    const closed = once(relay.close(), 'close')
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const silence = () => {
    for (const [client, server] of clients) client.unpipe(server).pause()
  }
  return { db, leave, silence }
}

const catchError = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('while the database is away, a request is a 503 with Retry-After that changes nothing', async () => {
  const tenant = world.tenant()
  const { id } = (await tenant.authorize('visa', { capture: true })).body
  const { db, leave } = await databaseBehindRelay()
  const away = tenant.through(createApp({ ...world.deps, db }))
  expect((await away.read(id)).status).toBe(200)
  await leave()
  for (const reply of [await away.read(id), await away.refund(id, { amount: 100 }, 'key'), await away.create()]) {
    expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([503, 'service_unavailable', '1'])
    expect(reply.body.detail).toMatch('with its Idempotency-Key')
  }
  await db.close()
  expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture'])
  expect((await tenant.refund(id, { amount: 100 }, 'key')).status).toBe(200)
})

test('a server that falls silent costs the request that waits for it, and no later one', async () => {
  const tenant = world.tenant()
  const { id } = (await tenant.authorize('visa', { capture: true })).body
  const { db, leave, silence } = await databaseBehindRelay()
  const away = tenant.through(createApp({ ...world.deps, db }))
  expect((await away.refund(id, { amount: 100 }, 'first')).status).toBe(200)
  silence()
  const waited = await away.read(id)
  expect([waited.status, waited.body.code]).toEqual([503, 'service_unavailable'])
  expect((await away.refund(id, { amount: 100 }, 'second')).status).toBe(200)
  expect((await away.read(id)).body.amount_refunded).toBe(200)
  await leave()
  await db.close()
}, 120_000)

test('an outage before the COMMIT is known as one, for requests and for consumers', async () => {
  const tenant = world.tenant()
  const { db, leave } = await databaseBehindRelay()
  const select = { text: 'SELECT 1', values: [] }
  const lost = await catchError(
    db.inTenant(tenant.id, async (tx) => {
      await tx.$queryRawUnsafe(select.text)
      await leave()
      await tx.$queryRawUnsafe(select.text)
    }),
  )
  const later = [
    db.inTenant(tenant.id, (tx) => tx.$queryRawUnsafe(select.text)),
    db.readInTenant(tenant.id, (tx) => tx.transaction.findFirst()),
    db.pipelined(tenant.id, [select]),
    db.sql.$queryRawUnsafe(select.text),
    db.crossTenant.$queryRawUnsafe(select.text),
  ]
  for (const error of [lost, ...(await Promise.all(later.map(catchError)))]) {
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect(isOutage(error)).toBe(true)
  }
  await db.close()
})

test('a session that ends during the COMMIT is no 503: its outcome is unknown', async () => {
  const tenant = world.tenant()
  await world.rows(`CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`)
  await world.rows(`CREATE CONSTRAINT TRIGGER end_session AFTER INSERT ON transactions DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.tenant_id = '${tenant.id}') EXECUTE FUNCTION end_session()`)
  const reply = await tenant.create()
  await world.rows('DROP TRIGGER end_session ON transactions')
  expect([reply.status, reply.body.code]).toEqual([500, 'internal_error'])
})
