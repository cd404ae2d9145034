import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { Registry } from 'prom-client'
import { readEventMessage } from '../src/broker/event-message.ts'
import { Publisher } from '../src/broker/publisher.ts'
import { binding, domainEvents, markerQueueName, quorumQueue, topicExchange } from '../src/broker/topology.ts'
import { emit } from '../src/outbox/outbox.ts'
import { Relay, type RelayOptions } from '../src/outbox/relay.ts'
import {
  brokerProxy,
  businessUnitId,
  createCleanup,
  definitions,
  drain,
  outboxTable,
  type PrivateTable,
  privateBroker,
  producer,
  silent,
  tenantId,
  until,
} from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

async function world() {
  const table = await outboxTable(cleanup)
  const broker = await privateBroker(cleanup, ['taken', 'marker.shop'], ['domain-events', 'marker.shop'])
  const exchange = domainEvents(broker.prefix)
  const markerQueue = markerQueueName(broker.prefix, 'shop')
  await broker.declare([
    topicExchange(exchange),
    quorumQueue(broker.name('taken'), { deliveryLimit: null }),
    binding(broker.name('taken'), exchange, '#'),
  ])
  return {
    table,
    broker,
    /** Simulates a broker without its disk; the queue of the test stays. */
    loseData: () => broker.channel.deleteQueue(markerQueue),
    hasMarker: async () => {
      // On a separate connection: the broker closes a channel that checks a missing queue.
      const connection = await broker.open('consume')
      await until('the connection is up', () => connection.ready().ready)
      const channel = await connection.openChannel()
      channel.on('error', () => undefined)
      return channel.checkQueue(markerQueue).then(
        () => true,
        () => false,
      )
    },
    takenIds: async () => (await broker.take('taken')).map(({ body }) => readEventMessage(Buffer.from(body)).id).sort(),
    relay: async (options: Partial<RelayOptions> = {}, url = broker.url): Promise<Relay> => {
      const connection = await broker.open('publish', { url })
      const publisher = new Publisher({ connection, topology: [topicExchange(exchange)], log: silent })
      const own = { db: table.db, producer, publisher, connection, exchange, markerQueue }
      const relay = new Relay({ ...own, log: silent, metrics: new Registry(), ...options })
      cleanup.later(async () => {
        await relay.stop()
        await publisher.close()
      })
      return relay
    },
  }
}

function emitMany(table: PrivateTable, count: number): Promise<string[]> {
  return table.transaction(async (tx) => {
    const ids: string[] = []
    for (let n = 0; n < count; n += 1) {
      const event = { tenantId, businessUnitId, traceId: randomUUID(), payload: { n } }
      ids.push(await emit(tx, definitions, { type: 'shop.things.create', ...event }))
    }
    return ids.sort()
  })
}

/** A database that records its statements. */
function recorded(db: SqlTx, before: (sql: string) => Promise<void> = async () => {}) {
  const seen: { sql: string; count: number }[] = []
  const sql: SqlTx = {
    $queryRawUnsafe: async (text, ...values) => {
      seen.push({ sql: text, count: 0 })
      return db.$queryRawUnsafe(text, ...values)
    },
    $executeRawUnsafe: async (text, ...values) => {
      await before(text)
      const count = await db.$executeRawUnsafe(text, ...values)
      seen.push({ sql: text, count })
      return count
    },
  }
  const counts = (part: string) => seen.filter((one) => one.sql.includes(part)).map(({ count }) => count)
  return { db: sql, counts }
}

const done = Promise.resolve()

/** Blocks `pass` until `open`, and records whether `pass` was called. */
function gate() {
  let open = () => {}
  let isReached = false
  const opening = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    open: () => open(),
    reached: () => isReached,
    pass: () => {
      isReached = true
      return opening
    },
  }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

test('retains published events, and deletes them after the retention time in batches', async () => {
  const { table, relay } = await world()
  const retaining = recorded(table.db)
  const ids = await emitMany(table, 25)
  const first = await relay({ db: retaining.db, maintainEveryMs: 1 })
  await drain(first)
  const purges = retaining.counts('DELETE').length
  await until('the relay purges again', () => retaining.counts('DELETE').length > purges + 2)
  expect([await table.rows(), await table.unpublished()]).toEqual([ids.length, 0])
  await first.stop()

  await table.pool.query(`UPDATE outbox_events SET published_at = published_at - interval '2 hours'`)
  const purging = recorded(table.db)
  const second = await relay({ db: purging.db, maintainEveryMs: 1, maintainRowsMax: 10, retentionMs: 3_600_000 })
  const [late] = await emitMany(table, 1)
  await until(
    'the expired events are deleted',
    async () => (await table.rows()) === 1 && (await table.unpublished()) === 0,
  )
  await drain(second)
  expect((await table.pool.query('SELECT id FROM outbox_events')).rows).toEqual([{ id: late }])
  const deleted = purging.counts('DELETE').filter((count) => count > 0)
  expect([Math.max(...deleted), sum(deleted)]).toEqual([10, ids.length])
})

test('a restarted relay publishes nothing twice while the broker has its data', async () => {
  const { table, relay, takenIds, hasMarker } = await world()
  const ids = await emitMany(table, 20)
  const first = await relay()
  await drain(first)
  await first.stop()
  expect(await hasMarker()).toBe(true)
  const [marker] = await emitMany(table, 1)
  await drain(await relay())
  expect(await takenIds()).toEqual([...ids, marker].sort())
})

test('publishes everything once more, with the same ids, to a broker that lost its data', async () => {
  const { table, relay, takenIds, loseData, hasMarker } = await world()
  const ids = await emitMany(table, 30)
  const first = await relay()
  await drain(first)
  await first.stop()
  expect(await takenIds()).toEqual(ids)
  await loseData()
  const metrics = new Registry()
  const second = await relay({ metrics, maintainRowsMax: 7 })
  await until('the marker queue is declared again', hasMarker)
  await drain(second)
  expect(await takenIds()).toEqual(ids)
  expect(await metrics.metrics()).toMatch(/^outbox_restored_total 30$/m)
})

test('detects the deletion of the marker queue while the connection stays up', async () => {
  const { table, relay, takenIds, loseData } = await world()
  const ids = await emitMany(table, 5)
  const running = await relay({ maintainEveryMs: 20 })
  await drain(running)
  expect(await takenIds()).toEqual(ids)
  await loseData()
  const again: string[] = []
  await until('the events are published again', async () => {
    again.push(...(await takenIds()))
    return again.length >= ids.length
  })
  expect(again.sort()).toEqual(ids)
})

test('ten relays that find the marker queue missing publish each event once more', async () => {
  const { table, broker, relay, takenIds, loseData } = await world()
  const proxy = await brokerProxy(cleanup)
  const ids = await emitMany(table, 300)
  const seen = Array.from({ length: 10 }, () => recorded(table.db))
  const relays = await Promise.all(seen.map(({ db }) => relay({ db, batchMax: 20, maintainRowsMax: 50 }, proxy.url)))
  await Promise.all(relays.map((one) => drain(one)))
  const checks = () => seen.map(({ counts }) => counts('checked_at').length)
  await until('all relays have checked', () => checks().every((count) => count > 0))
  expect(await takenIds()).toEqual(ids)
  const before = checks()
  await loseData()
  proxy.cut()
  await until('all relays have checked again', () => checks().every((count, number) => count > (before[number] ?? 0)))
  await until('all events are published', async () => (await broker.depth('taken')) >= ids.length)
  const [marker] = await emitMany(table, 1)
  await Promise.all(relays.map((one) => drain(one)))
  expect(await takenIds()).toEqual([...ids, marker].sort())
})

test('a relay that found no marker queue revokes no later claim of another relay', async () => {
  const { table, relay, takenIds } = await world()
  const gates = { revoke: gate(), mark: gate() }
  const late = recorded(table.db, (sql) => (sql.includes('SET leased_until = NULL') ? gates.revoke.pass() : done))
  const slow = recorded(table.db, (sql) => (sql.includes('SET published_at = leased_until') ? gates.mark.pass() : done))
  const ids = await emitMany(table, 10)
  const first = await relay({ db: late.db })
  await until('the first relay has checked', () => gates.revoke.reached())
  const second = await relay({ db: slow.db })
  await until('the second relay has claimed and published', () => gates.mark.reached())
  gates.revoke.open()
  await until('the first relay has revoked', () => late.counts('SET leased_until = NULL').length > 0)
  gates.mark.open()
  await Promise.all([drain(first), drain(second)])
  expect(late.counts('SET leased_until = NULL')).toEqual([0])
  expect(await takenIds()).toEqual(ids)
})

test('a failure between restore and declaration repeats both', async () => {
  const { table, relay, takenIds, loseData, hasMarker } = await world()
  const ids = await emitMany(table, 20)
  const first = await relay()
  await drain(first)
  await first.stop()
  expect(await takenIds()).toEqual(ids)
  await loseData()
  let failures = 0
  const failing = recorded(table.db, async (sql) => {
    if (!sql.includes('SET published_at = NULL') || failures > 0) return
    if ((await table.unpublished()) < 5) return
    failures += 1
    throw new Error('the database failed')
  })
  const second = await relay({ db: failing.db, maintainRowsMax: 5, retryMaxMs: 20 })
  await until('all events are restored', async () => sum(failing.counts('SET published_at = NULL')) === ids.length)
  await drain(second)
  expect(failures).toBe(1)
  expect(await hasMarker()).toBe(true)
  expect(await takenIds()).toEqual(ids)
})

test('a late confirm of a lost broker marks nothing', async () => {
  const { table, relay, takenIds, loseData, broker } = await world()
  const mark = gate()
  const slow = recorded(table.db, (sql) => (sql.includes('SET published_at = leased_until') ? mark.pass() : done))
  const ids = await emitMany(table, 10)
  await relay({ db: slow.db, leaseMs: 600_000 })
  await until('the relay has published', async () => (await broker.depth('taken')) === ids.length)
  expect(await takenIds()).toEqual(ids)
  await loseData()
  const other = await relay({ leaseMs: 600_000 })
  await drain(other)
  expect(await takenIds()).toEqual(ids)
  mark.open()
  await until('the late mark is written', () => slow.counts('SET published_at = leased_until').length > 0)
  expect(slow.counts('SET published_at = leased_until')).toEqual([0])
})

test('loses no event if the broker is down beyond the retention time and returns without its disk', async () => {
  const { table, relay, takenIds, loseData } = await world()
  const proxy = await brokerProxy(cleanup)
  const retentionMs = 200
  const running = await relay({ retentionMs }, proxy.url)
  const ids = await emitMany(table, 10)
  await drain(running)
  expect(await takenIds()).toEqual(ids)
  proxy.rejectConnections(true)
  proxy.cut()
  await loseData()
  await until('the events are older than the retention time', async () => {
    const { rows } = await table.pool.query(
      'SELECT clock_timestamp() - max(published_at) > $1 AS old FROM outbox_events',
      [`${2 * retentionMs} ms`],
    )
    return rows[0].old
  })
  proxy.rejectConnections(false)
  const again: string[] = []
  await until('the events are published again', async () => {
    again.push(...(await takenIds()))
    return again.length >= ids.length
  })
  expect(again.sort()).toEqual(ids)
})
