import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { readEventMessage } from '../src/broker/event-message.ts'
import { OutboxClaims } from '../src/outbox/outbox-claims.ts'
import { relayWorld } from './relay-world.ts'
import { businessUnitId, createCleanup, drain, type PrivateBroker, type PrivateTable } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())
const { world, relayOn } = relayWorld(cleanup)

/** Numbered events as `emit` writes them, one after the other. */
async function write(table: PrivateTable, tenantId: string, count: number): Promise<void> {
  await table.pool.query(
    `INSERT INTO outbox_events (id, type, tenant_id, business_unit_id, trace_id, payload)
     SELECT gen_random_uuid(), 'shop.things.create', $1, $2, gen_random_uuid(), jsonb_build_object('n', n)
     FROM generate_series(1, $3::int) AS n ORDER BY n`,
    [tenantId, businessUnitId, count],
  )
}

/** The published events in their order. */
const takeEvents = async (broker: PrivateBroker) =>
  (await broker.take('taken')).map(({ body }) => {
    const event = readEventMessage(Buffer.from(body))
    return { tenantId: event.tenant_id, n: event.payload['n'] }
  })

/** Ids in ascending order: `tenantAt(1)` precedes `tenantAt(2)`. */
const tenantAt = (position: number) => `${String(position).padStart(8, '0')}${randomUUID().slice(8)}`

test('publishes the event of a tenant in the second batch, behind 5 000 older events of another', async () => {
  const { table, broker } = await world()
  const [many, one] = [randomUUID(), randomUUID()]
  await write(table, many, 5_000)
  await write(table, one, 1)
  await drain(relayOn(broker, await broker.open('publish'), table.db), 60_000)
  const events = await takeEvents(broker)
  expect(events.findIndex(({ tenantId }) => tenantId === one)).toBeLessThan(1_000)
  const ofMany = events.filter(({ tenantId }) => tenantId === many).map(({ n }) => n)
  expect(ofMany).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1))
}, 90_000)

test('reaches every tenant in turn, also with more tenants than one claim looks at', async () => {
  const { table, broker } = await world()
  const tenants = Array.from({ length: 25 }, (_, index) => tenantAt(index + 1))
  for (const tenantId of tenants) await write(table, tenantId, 40)
  const last = tenantAt(99)
  await write(table, last, 1)
  await drain(relayOn(broker, await broker.open('publish'), table.db, { batchMax: 10 }), 60_000)
  const events = await takeEvents(broker)
  expect(events).toHaveLength(25 * 40 + 1)
  // Three claims in turns of ten tenants each, with a batch in order before each of them.
  expect(events.findIndex(({ tenantId }) => tenantId === last)).toBeLessThan(60)
}, 90_000)

test('publishes in the order of writing while batches are not full', async () => {
  const { table, broker } = await world()
  const [first, second] = [tenantAt(2), tenantAt(1)]
  await write(table, first, 15)
  await write(table, second, 4)
  await drain(relayOn(broker, await broker.open('publish'), table.db, { batchMax: 20 }))
  const order = (await takeEvents(broker)).map(({ tenantId }) => tenantId)
  expect(order).toEqual([...Array(15).fill(first), ...Array(4).fill(second)])
})

test('gives whole batches to a tenant that waits alone', async () => {
  const { table, broker } = await world()
  await write(table, randomUUID(), 100)
  const batches: number[] = []
  const counting: SqlTx = {
    ...table.db,
    async $queryRawUnsafe<T>(sql: string, ...values: unknown[]) {
      const rows = await table.db.$queryRawUnsafe<T>(sql, ...values)
      if (sql.includes('SET leased_until') && Array.isArray(rows) && rows.length > 0) batches.push(rows.length)
      return rows
    },
  }
  await drain(relayOn(broker, await broker.open('publish'), counting, { batchMax: 20 }))
  expect(batches).toEqual([20, 20, 20, 20, 20])
})

test('finds the events of each tenant by the index of turns, although the statistics know of no backlog', async () => {
  const { table } = await world()
  await write(table, randomUUID(), 2_000)
  await table.pool.query('UPDATE outbox_events SET published_at = now()')
  await table.pool.query('VACUUM ANALYZE outbox_events')
  await write(table, randomUUID(), 2_000)
  const plans: string[] = []
  const explaining: SqlTx = {
    ...table.db,
    async $queryRawUnsafe<T>(sql: string, ...values: unknown[]) {
      const { rows } = await table.pool.query(`EXPLAIN ${sql}`, values)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      return table.db.$queryRawUnsafe<T>(sql, ...values)
    },
  }
  const claims = new OutboxClaims({ db: explaining, batchMax: 500, leaseMs: 10_000 })
  await claims.next()
  expect((await claims.next()).rows).toHaveLength(500)
  const [, tenants, ...ofTenants] = plans
  for (const plan of [tenants, ...ofTenants]) {
    expect(plan).toMatch(/using outbox_events_turns_idx/)
    expect(plan).not.toMatch(/using outbox_events_unpublished_idx/)
  }
  expect(plans).toHaveLength(3)
})
