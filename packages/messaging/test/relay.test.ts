import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from '@jest/globals'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { Registry } from 'prom-client'
import { readEventMessage } from '../src/broker/event-message.ts'
import { binding, domainEvents } from '../src/broker/topology.ts'
import { emit } from '../src/outbox/outbox.ts'
import type { Relay } from '../src/outbox/relay.ts'
import { relayWorld } from './relay-world.ts'
import {
  brokerProxy,
  businessUnitId,
  createCleanup,
  definitions,
  drain,
  type PrivateBroker,
  type PrivateTable,
  readableLog,
  tenantId,
  until,
  verifyMessage,
} from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

const { world, relayOn } = relayWorld(cleanup)

function emitMany(table: PrivateTable, count: number): Promise<string[]> {
  return table.transaction(async (tx) => {
    const ids: string[] = []
    for (let n = 0; n < count; n += 1) {
      const event = { tenantId, businessUnitId, traceId: randomUUID(), payload: { n } }
      ids.push(await emit(tx, definitions, { type: 'shop.things.create', ...event }))
    }
    return ids
  })
}

const takenIds = async (broker: PrivateBroker): Promise<string[]> =>
  (await broker.take('taken')).map(({ body }) => readEventMessage(Buffer.from(body)).id)

test('publishes committed events when woken, and retains them as published', async () => {
  const { table, broker } = await world()
  const relay = relayOn(broker, await broker.open('publish'), table.db)
  const traceId = randomUUID()
  const payload = { n: 7, note: '“ü”\n\u2028' }
  const id = await table.transaction((tx) =>
    emit(tx, definitions, { type: 'shop.things.create', tenantId, businessUnitId, traceId, payload }),
  )
  relay.wake()
  await drain(relay)
  expect([await table.rows(), await table.unpublished()]).toEqual([1, 0])
  expect(await relay.lag()).toEqual({ pending: 0, oldestAgeMs: 0 })
  const [message] = await broker.take('taken')
  expect([message?.messageId, message && verifyMessage(message)]).toEqual([id, { producer: 'shop' }])
  const event = readEventMessage(Buffer.from(message?.body ?? ''))
  expect(event).toEqual({
    id,
    type: 'shop.things.create',
    tenant_id: tenantId,
    business_unit_id: businessUnitId,
    trace_id: traceId,
    occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    payload,
  })
  expect(Math.abs(Date.parse(event.occurred_at) - Date.now())).toBeLessThan(60_000)
})

test('never publishes an event of a transaction that was rolled back', async () => {
  const { table, broker } = await world()
  const relay = relayOn(broker, await broker.open('publish'), table.db)
  const undone = table.transaction(async (tx) => {
    const event = { tenantId, businessUnitId, traceId: randomUUID(), payload: { n: 1 } }
    await emit(tx, definitions, { type: 'shop.things.create', ...event })
    relay.wake()
    throw new Error('changed our mind')
  })
  await expect(undone).rejects.toThrow('changed our mind')
  const [committed] = await emitMany(table, 1)
  await drain(relay)
  expect(await takenIds(broker)).toEqual([committed])
})

test('two relays together publish each event once', async () => {
  const { table, broker } = await world()
  const ids = await emitMany(table, 600)
  const registries = [new Registry(), new Registry()]
  const relays: Relay[] = []
  for (const metrics of registries) {
    relays.push(relayOn(broker, await broker.open('publish'), table.db, { batchMax: 20, metrics }))
  }
  await drain(relays[0] as Relay)
  expect((await takenIds(broker)).sort()).toEqual([...ids].sort())
  for (const metrics of registries) {
    expect(await metrics.metrics()).toMatch(/^outbox_published_total [1-9]/m)
  }
})

test('an unroutable event waits, delays no other event, and is published once a queue takes it', async () => {
  const { table, broker } = await world('shop.things.*')
  const { log, lines } = readableLog()
  const metrics = new Registry()
  const options = { batchMax: 2, returnedRetryMs: 200, log, metrics }
  const relay = relayOn(broker, await broker.open('publish'), table.db, options)
  await table.transaction(async (tx) => {
    for (let n = 0; n < 5; n += 1) {
      const event = { tenantId, businessUnitId: null, traceId: randomUUID(), payload: { n } }
      await emit(tx, definitions, { type: 'shop.rules.update', ...event })
    }
  })
  const ids = await emitMany(table, 5)
  const seen: string[] = []
  await until('the others arrive', async () => {
    seen.push(...(await takenIds(broker)))
    return seen.length >= 5
  })
  expect(seen.sort()).toEqual([...ids].sort())
  await until('the others are marked as published', async () => (await relay.lag()).pending === 5)
  expect(await metrics.metrics()).toMatch(/^outbox_oldest_event_age_seconds (?!0$)[^]+^outbox_pending_events 5$/m)
  await broker.declare([binding(broker.name('taken'), domainEvents(broker.prefix), '#')])
  await drain(relay)
  expect(await takenIds(broker)).toHaveLength(5)
  expect(lines.join('')).toContain('no queue takes this event type')
})

test('a relay at rest only probes the outbox, and finds the event of another process', async () => {
  const { table, broker } = await world()
  const statements: string[] = []
  const db: SqlTx = {
    ...table.db,
    $queryRawUnsafe: (sql, ...values) => {
      statements.push(sql)
      return table.db.$queryRawUnsafe(sql, ...values)
    },
  }
  const relay = relayOn(broker, await broker.open('publish'), db, { restMaxMs: 20 })
  await drain(relay)
  await until('the relay is at rest', () => statements.slice(-3).every((sql) => sql.includes('AS empty')))
  const [id] = await emitMany(table, 1)
  await until('the event is published', async () => (await table.unpublished()) === 0)
  expect(await takenIds(broker)).toEqual([id])
})

test('loses nothing when connections are reset repeatedly under load', async () => {
  const { table, broker } = await world()
  const proxy = await brokerProxy(cleanup)
  const relay = relayOn(broker, await broker.open('publish', { url: proxy.url }), table.db, { batchMax: 25 })
  const ids: string[] = []
  for (let round = 0; round < 6; round += 1) {
    ids.push(...(await emitMany(table, 150)))
    relay.wake()
    await until('some were published', async () => (await broker.depth('taken')) > round * 150 + 20)
    proxy.cut()
  }
  await drain(relay)
  expect([...new Set(await takenIds(broker))].sort()).toEqual([...ids].sort())
})

test('publishes unconfirmed events of a lost connection over the next connection', async () => {
  const { table, broker } = await world()
  const proxy = await brokerProxy(cleanup)
  const relay = relayOn(broker, await broker.open('publish', { url: proxy.url }), table.db)
  await emitMany(table, 1)
  await drain(relay)
  proxy.pause('client')
  const ids = await emitMany(table, 20)
  relay.wake()
  await until('the events are claimed', async () => {
    const { rows } = await table.pool.query(
      'SELECT count(leased_until)::int AS n FROM outbox_events WHERE published_at IS NULL',
    )
    return rows[0].n === 20
  })
  proxy.cut()
  await drain(relay)
  expect((await takenIds(broker)).slice(1).sort()).toEqual([...ids].sort())
})

test('loses nothing when database connections are cut under load', async () => {
  const { table, broker } = await world()
  const relay = relayOn(broker, await broker.open('publish'), table.db, { batchMax: 20, leaseMs: 500 })
  const ids = await emitMany(table, 500)
  for (let round = 1; round <= 4; round += 1) {
    relay.wake()
    await until('some were published', async () => (await broker.depth('taken')) >= round * 100)
    await table.pool
      .query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()')
      .catch((error: unknown) => error)
  }
  // This query too may use a connection that is being cut.
  const unpublished = () => table.unpublished().catch(() => undefined)
  await until('all are published', async () => (await unpublished()) === 0)
  expect([...new Set(await takenIds(broker))].sort()).toEqual([...ids].sort())
})

test('logs once that it cannot publish, and once that it publishes again', async () => {
  const { table, broker } = await world()
  const { log, lines } = readableLog()
  const count = (text: string) => lines.filter((line) => line.includes(text)).length
  let queryCount = 0
  const queries = () => queryCount
  const db: SqlTx = {
    ...table.db,
    $queryRawUnsafe: (sql, ...values) => {
      queryCount += 1
      return table.db.$queryRawUnsafe(sql, ...values)
    },
  }
  const relay = relayOn(broker, await broker.open('publish'), db, { log, retryMaxMs: 20 })
  await emitMany(table, 3)
  await drain(relay)
  await table.pool.query('ALTER TABLE outbox_events RENAME TO hidden')
  await until('the relay logs it', () => count('cannot publish') > 0)
  for (let wakes = 0; wakes < 5; wakes += 1) {
    const batches = queries()
    relay.wake()
    await until('another batch was run', () => queries() > batches)
  }
  await table.pool.query('ALTER TABLE hidden RENAME TO outbox_events')
  await until('the relay logs it', () => count('publishes again') > 0)
  expect(count('cannot publish')).toBe(1)
  expect(count('publishes again')).toBe(1)
})

test('waits for a broker that starts later, and claims nothing meanwhile', async () => {
  const { table, broker } = await world()
  const proxy = await brokerProxy(cleanup)
  proxy.rejectConnections(true)
  const relay = relayOn(broker, await broker.open('publish', { url: proxy.url }), table.db)
  const ids = await emitMany(table, 3)
  await expect(drain(relay, 300)).rejects.toThrow('every event is published')
  expect((await table.pool.query('SELECT 1 FROM outbox_events WHERE leased_until IS NOT NULL')).rowCount).toBe(0)
  proxy.rejectConnections(false)
  await drain(relay)
  expect((await takenIds(broker)).sort()).toEqual([...ids].sort())
})

/** A relay in a separate process, so that a test can kill it. */
function relayProcess(table: PrivateTable, broker: PrivateBroker, stopBefore: 'mark' | 'nothing'): ChildProcess {
  const file = fileURLToPath(new URL('./relay-process.mjs', import.meta.url))
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    DATABASE_URL: table.url,
    AMQP_URL: broker.url,
    PREFIX: broker.prefix,
    STOP_BEFORE: stopBefore,
  }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  cleanup.later(() => child.kill('SIGKILL'))
  return child
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

test('publishes the same events again after a kill between confirm and mark', async () => {
  const { table, broker } = await world()
  const ids = await emitMany(table, 20)
  const child = relayProcess(table, broker, 'mark')
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  await killed(child)
  expect(await table.unpublished()).toBe(20)
  expect((await takenIds(broker)).sort()).toEqual([...ids].sort())
  const relay = relayOn(broker, await broker.open('publish'), table.db)
  await drain(relay)
  expect((await takenIds(broker)).sort()).toEqual([...ids].sort())
})

test('loses nothing when killed at any point under load', async () => {
  const { table, broker } = await world()
  const ids: string[] = []
  for (let round = 1; round <= 3; round += 1) {
    ids.push(...(await emitMany(table, 400)))
    const before = await broker.depth('taken')
    const child = relayProcess(table, broker, 'nothing')
    await until('some were published', async () => (await broker.depth('taken')) >= before + 100)
    await killed(child)
  }
  const relay = relayOn(broker, await broker.open('publish'), table.db)
  await drain(relay)
  expect([...new Set(await takenIds(broker))].sort()).toEqual([...ids].sort())
})
