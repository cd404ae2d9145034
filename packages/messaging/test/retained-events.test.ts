import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import type { SqlTx } from '@payments/chassis/transaction'
import { Registry } from 'prom-client'
import { readEventMessage } from '../src/event-message.ts'
import { emit } from '../src/outbox.ts'
import { Publisher } from '../src/publisher.ts'
import { type Relay, type RelayOptions, startRelay } from '../src/relay.ts'
import { binding, domainEvents, markerName, quorumQueue, topicExchange } from '../src/topology.ts'
import {
  brokerProxy,
  businessUnitId,
  createCleanup,
  definitions,
  outboxTable,
  type PrivateTable,
  privateBroker,
  silent,
  tenantId,
  until,
} from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

async function world() {
  const table = await outboxTable(cleanup)
  const broker = await privateBroker(cleanup, ['taken', 'witness.shop'], ['domain-events', 'witness.shop'])
  const exchange = domainEvents(broker.prefix)
  const witness = markerName(broker.prefix, 'shop')
  await broker.declare([
    topicExchange(exchange),
    quorumQueue(broker.name('taken'), { deliveryLimit: null }),
    binding(broker.name('taken'), exchange, '#'),
  ])
  return {
    table,
    broker,
    /** As a broker without its disk would: the queue of the test itself stays. */
    forget: () => broker.channel.deleteQueue(witness),
    remembers: async () => {
      // On a connection of its own: asked for a queue that is missing, the broker closes the channel.
      const connection = await broker.open('consume')
      await until('it is connected', () => connection.ready().ready)
      const channel = await connection.openChannel()
      channel.on('error', () => undefined)
      return channel.checkQueue(witness).then(
        () => true,
        () => false,
      )
    },
    takenIds: async () => (await broker.take('taken')).map(({ body }) => readEventMessage(Buffer.from(body)).id).sort(),
    relay: async (options: Partial<RelayOptions> = {}, url = broker.url): Promise<Relay> => {
      const connection = await broker.open('publish', { url })
      const publisher = new Publisher({ connection, topology: [topicExchange(exchange)], log: silent })
      const relay = startRelay({ db: table.db, publisher, connection, exchange, witness, log: silent, ...options })
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

/** The database, and what was asked of it. */
function watched(db: SqlTx, before: (sql: string) => Promise<void> = async () => {}) {
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

/** Holds up who comes to pass until it is opened, and knows whether somebody came that far. */
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

test('what is published is kept, and goes after the time that was set, a few rows at a time', async () => {
  const { table, relay } = await world()
  const keeping = watched(table.db)
  const ids = await emitMany(table, 25)
  const first = await relay({ db: keeping.db, tendEveryMs: 1 })
  await first.drain()
  const purges = keeping.counts('DELETE').length
  await until('it has looked for what to delete', () => keeping.counts('DELETE').length > purges + 2)
  expect([await table.rows(), await table.unpublished()]).toEqual([ids.length, 0])
  await first.stop()

  await table.pool.query(`UPDATE outbox_events SET published_at = published_at - interval '2 hours'`)
  const purging = watched(table.db)
  const second = await relay({ db: purging.db, tendEveryMs: 1, tendRowsMax: 10, keepMs: 3_600_000 })
  const [late] = await emitMany(table, 1)
  await until('the old ones are gone', async () => (await table.rows()) === 1 && (await table.unpublished()) === 0)
  await second.drain()
  expect((await table.pool.query('SELECT id FROM outbox_events')).rows).toEqual([{ id: late }])
  const deleted = purging.counts('DELETE').filter((count) => count > 0)
  expect([Math.max(...deleted), sum(deleted)]).toEqual([10, ids.length])
})

test('a relay that starts again at a broker that remembers publishes nothing twice', async () => {
  const { table, relay, takenIds, remembers } = await world()
  const ids = await emitMany(table, 20)
  const first = await relay()
  await first.drain()
  await first.stop()
  expect(await remembers()).toBe(true)
  const [marker] = await emitMany(table, 1)
  await (await relay()).drain()
  expect(await takenIds()).toEqual([...ids, marker].sort())
})

test('a broker that has forgotten is given everything again, once, with the same ids', async () => {
  const { table, relay, takenIds, forget, remembers } = await world()
  const ids = await emitMany(table, 30)
  const first = await relay()
  await first.drain()
  await first.stop()
  expect(await takenIds()).toEqual(ids)
  await forget()
  const metrics = new Registry()
  const second = await relay({ metrics, tendRowsMax: 7 })
  await until('it remembers again', remembers)
  await second.drain()
  expect(await takenIds()).toEqual(ids)
  expect(await metrics.metrics()).toMatch(/^outbox_restored_total 30$/m)
})

test('notices a witness that goes while the connection stays', async () => {
  const { table, relay, takenIds, forget } = await world()
  const ids = await emitMany(table, 5)
  const running = await relay({ tendEveryMs: 20 })
  await running.drain()
  expect(await takenIds()).toEqual(ids)
  await forget()
  const again: string[] = []
  await until('they come again', async () => {
    again.push(...(await takenIds()))
    return again.length >= ids.length
  })
  expect(again.sort()).toEqual(ids)
})

test('ten relays that meet a broker without memory together publish each event once more', async () => {
  const { table, broker, relay, takenIds, forget } = await world()
  const proxy = await brokerProxy(cleanup)
  const ids = await emitMany(table, 300)
  const seen = Array.from({ length: 10 }, () => watched(table.db))
  const relays = await Promise.all(seen.map(({ db }) => relay({ db, batchMax: 20, tendRowsMax: 50 }, proxy.url)))
  await Promise.all(relays.map((one) => one.drain()))
  const asked = () => seen.map(({ counts }) => counts('asked_at').length)
  await until('all have asked', () => asked().every((count) => count > 0))
  expect(await takenIds()).toEqual(ids)
  const before = asked()
  await forget()
  proxy.cut()
  await until('all have asked again', () => asked().every((count, number) => count > (before[number] ?? 0)))
  await until('all is out', async () => (await broker.depth('taken')) >= ids.length)
  const [marker] = await emitMany(table, 1)
  await Promise.all(relays.map((one) => one.drain()))
  expect(await takenIds()).toEqual([...ids, marker].sort())
})

test('a relay that found no witness revokes nothing that another has claimed since', async () => {
  const { table, relay, takenIds } = await world()
  const gates = { revoke: gate(), mark: gate() }
  const late = watched(table.db, (sql) => (sql.includes('SET leased_until = NULL') ? gates.revoke.pass() : done))
  const slow = watched(table.db, (sql) => (sql.includes('SET published_at = leased_until') ? gates.mark.pass() : done))
  const ids = await emitMany(table, 10)
  const first = await relay({ db: late.db })
  await until('it has asked', () => gates.revoke.reached())
  const second = await relay({ db: slow.db })
  await until('the other has claimed and published', () => gates.mark.reached())
  gates.revoke.open()
  await until('it has revoked', () => late.counts('SET leased_until = NULL').length > 0)
  gates.mark.open()
  await Promise.all([first.drain(), second.drain()])
  expect(late.counts('SET leased_until = NULL')).toEqual([0])
  expect(await takenIds()).toEqual(ids)
})

test('a failure between the restoring and the witness repeats both', async () => {
  const { table, relay, takenIds, forget, remembers } = await world()
  const ids = await emitMany(table, 20)
  const first = await relay()
  await first.drain()
  await first.stop()
  expect(await takenIds()).toEqual(ids)
  await forget()
  let failures = 0
  const failing = watched(table.db, async (sql) => {
    if (!sql.includes('SET published_at = NULL') || failures > 0) return
    if ((await table.unpublished()) < 5) return
    failures += 1
    throw new Error('the database went away')
  })
  const second = await relay({ db: failing.db, tendRowsMax: 5, retryMaxMs: 20 })
  await until('they are all restored', async () => sum(failing.counts('SET published_at = NULL')) === ids.length)
  await second.drain()
  expect(failures).toBe(1)
  expect(await remembers()).toBe(true)
  expect(await takenIds()).toEqual(ids)
})

test('what a relay learns late of the broker that is gone marks nothing', async () => {
  const { table, relay, takenIds, forget, broker } = await world()
  const mark = gate()
  const slow = watched(table.db, (sql) => (sql.includes('SET published_at = leased_until') ? mark.pass() : done))
  const ids = await emitMany(table, 10)
  await relay({ db: slow.db, leaseMs: 600_000 })
  await until('it has published', async () => (await broker.depth('taken')) === ids.length)
  expect(await takenIds()).toEqual(ids)
  await forget()
  const other = await relay({ leaseMs: 600_000 })
  await other.drain()
  expect(await takenIds()).toEqual(ids)
  mark.open()
  await until('the late mark is made', () => slow.counts('SET published_at = leased_until').length > 0)
  expect(slow.counts('SET published_at = leased_until')).toEqual([0])
})

test('a broker that is away for longer than events are kept, and comes back without its disk, loses none', async () => {
  const { table, relay, takenIds, forget } = await world()
  const proxy = await brokerProxy(cleanup)
  const keepMs = 200
  const running = await relay({ keepMs }, proxy.url)
  const ids = await emitMany(table, 10)
  await running.drain()
  expect(await takenIds()).toEqual(ids)
  proxy.refuse(true)
  proxy.cut()
  await forget()
  await until('they are older than that', async () => {
    const { rows } = await table.pool.query(
      'SELECT clock_timestamp() - max(published_at) > $1 AS old FROM outbox_events',
      [`${2 * keepMs} ms`],
    )
    return rows[0].old
  })
  proxy.refuse(false)
  const again: string[] = []
  await until('they come again', async () => {
    again.push(...(await takenIds()))
    return again.length >= ids.length
  })
  expect(again.sort()).toEqual(ids)
})

test('a relay of the version before this one lets be what is published', async () => {
  const { table, relay } = await world()
  await emitMany(table, 3)
  await (await relay()).drain()
  const due = 'SELECT 1 FROM outbox_events WHERE leased_until IS NULL OR leased_until < clock_timestamp()'
  expect([await table.rows(), (await table.pool.query(due)).rowCount]).toEqual([3, 0])
})
