import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import { rowsRead } from '@payments/testing/database/rows-read'
import { firstEvent } from '../src/domain/dead-letter/recovery.ts'
import type { DeliveryFilter } from '../src/domain/delivery/delivery.ts'
import type { EventFilter } from '../src/domain/event/event.ts'
import * as deadLetters from '../src/store/dead-letter/dead-letters.ts'
import { countUnmatched, readRecoverableEvents } from '../src/store/dead-letter/recovery.ts'
import { listOfTenant, listOfUnit } from '../src/store/delivery/delivery-lists.ts'
import * as events from '../src/store/event/events.ts'
import { withHealth } from '../src/store/subscription/subscription-health.ts'
import * as subscriptions from '../src/store/subscription/subscriptions.ts'
import { type Subscribed, startWorld, subscribe, type World } from './world.ts'

/** No list reads more than a part of the rows of a tenant, with any filter, beside another large tenant. */
const rowsCount = 2.5 * searchedRowsMax
/** A page, the end of its search, and the rows of a filter that few meet. */
const rowsReadMax = 2 * searchedRowsMax + 1_500
const taskId = randomUUID()
const traceId = randomUUID()
let world: World
let subscribed: Subscribed
let oldestId: string

beforeAll(async () => {
  world = await startWorld()
  subscribed = await subscribe(world, 'https://receiver.example/hooks')
  await insertRows(subscribed, taskId)
  await insertRows(await subscribe(world, 'https://receiver.example/hooks'), randomUUID())
  await world.rows('ANALYZE deliveries')
  await world.rows('ANALYZE events')
  const [oldest] = await world.rows<{ id: string }>(
    'SELECT id FROM deliveries WHERE tenant_id = $1::uuid ORDER BY id LIMIT 1',
    subscribed.tenantId,
  )
  oldestId = oldest?.id ?? ''
}, 300_000)
afterAll(() => world.stop())

/** Every second delivery is dead; the oldest one is held. The events have one Trace-ID. */
async function insertRows({ tenantId, id, unitId }: Subscribed, ofTask: string): Promise<void> {
  await world.rows(
    `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at,
       trace_id, body, status, backlogged, attempt_count, last_status_code, last_error_kind, last_error, dead_at, task_id,
       created_at)
     SELECT (lpad(to_hex(ms), 12, '0') || '7000' || '8' || substr(md5(n || $1), 1, 15))::uuid, $1::uuid, $2::uuid, $3::uuid,
       gen_random_uuid(), 'rbac.roles.create', at, gen_random_uuid(), '{}',
       (CASE WHEN n = 1 THEN 'held' WHEN n % 2 = 0 THEN 'dead' ELSE 'delivered' END)::"DeliveryStatus", n = 1, 1,
       CASE n % 2 WHEN 0 THEN 500 ELSE 200 END, CASE n % 2 WHEN 0 THEN 'status' END, CASE n % 2 WHEN 0 THEN 'HTTP 500' END,
       CASE n % 2 WHEN 0 THEN at END, CASE n % 2 WHEN 0 THEN $5::uuid END, at
     FROM generate_series(1, $4::int) AS n,
       LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint - $4::int + n AS ms) AS instant,
       LATERAL (SELECT to_timestamp(ms / 1000.0) AS at) AS time`,
    tenantId,
    id,
    unitId,
    rowsCount,
    ofTask,
  )
  await world.rows(
    `INSERT INTO events (tenant_id, tenant_event_id, occurred_at, business_unit_id, type, trace_id, payload)
     SELECT $1::uuid, (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
       to_timestamp(ms / 1000.0), $2::uuid, 'rbac.roles.create', $4::uuid, '{}'
     FROM generate_series(1, $3::int) AS n,
       LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint - $3::int + n AS ms) AS instant`,
    tenantId,
    unitId,
    rowsCount,
    traceId,
  )
}

const page = { before: undefined, limit: 50 }

const listPairs = <Filter>(filters: readonly Filter[]) =>
  filters.flatMap((first) => filters.map((second) => ({ ...first, ...second })))

const deliveryFilters: readonly DeliveryFilter[] = [
  {},
  { statuses: ['dead'] },
  { statuses: ['held'] },
  { statuses: ['pending', 'held', 'discarded'] },
  { statuses: ['delivering'] },
  { statuses: ['delivered'] },
  { taskId },
  { statusCode: 500 },
  { statusCode: 404 },
  { errorKind: 'timeout' },
  { eventType: 'rbac.roles.delete' },
  { subscriptionId: randomUUID() },
  { createdBefore: new Date(0) },
  { createdAfter: new Date(0), createdBefore: new Date() },
]

test('a list of deliveries reads a bounded number of them with any two filters', async () => {
  const { tenantId, unitId: businessUnitId } = subscribed
  const unbounded: object[] = []
  for (const filter of listPairs(deliveryFilters)) {
    const ofUnit = await world.db.inTenant(tenantId, (tx) =>
      rowsRead(tx, 'deliveries', () => listOfUnit(tx, tenantId, { ...filter, businessUnitId }, page)),
    )
    const ofTenant = await world.db.inTenant(tenantId, (tx) =>
      rowsRead(tx, 'deliveries', () => listOfTenant(tx, tenantId, filter, page)),
    )
    if (Math.max(ofUnit, ofTenant) > rowsReadMax) unbounded.push({ ...filter, ofUnit, ofTenant })
  }
  expect(unbounded).toEqual([])
})

test('a list of events reads a bounded number of them with any two filters', async () => {
  const { tenantId } = subscribed
  const filters: readonly EventFilter[] = [
    {},
    { traceId },
    { traceId: randomUUID() },
    { resourceId: randomUUID() },
    { eventType: 'rbac.roles.delete' },
    { businessUnitId: randomUUID() },
    { createdBefore: new Date(0) },
    { createdAfter: new Date(0), createdBefore: new Date() },
  ]
  const unbounded: object[] = []
  for (const filter of listPairs(filters)) {
    const read = await world.db.inTenant(tenantId, (tx) =>
      rowsRead(tx, 'events', () => events.list(tx, tenantId, filter, page)),
    )
    if (read > rowsReadMax) unbounded.push({ ...filter, read })
  }
  expect(unbounded).toEqual([])
})

test('a batch of a recovery reads the events of the batch, and a count reads each delivery once', async () => {
  const { tenantId, id: subscriptionId } = subscribed
  const period = { since: '1970-01-01T00:00:00.000Z', until: new Date().toISOString() }
  const recovery = { subscriptionId, ...period, includeUnmatched: true }
  const after = firstEvent.id
  const ofBatch = await world.db.inTenant(tenantId, (tx) =>
    rowsRead(tx, 'events', () => readRecoverableEvents(tx, tenantId, recovery, { after, rowsMax: 500 })),
  )
  expect(ofBatch).toBeLessThanOrEqual(1_000)
  const ofCount = await world.db.inTenant(tenantId, (tx) =>
    rowsRead(tx, 'deliveries', () => countUnmatched(tx, tenantId, recovery)),
  )
  expect(ofCount).toBeLessThanOrEqual(2 * rowsCount + 100)
})

test('a list of dead letters reads a bounded number of them', async () => {
  const { tenantId } = subscribed
  const unbounded: object[] = []
  const selections = [
    {},
    { statusCode: 404 },
    { eventType: 'rbac.roles.delete' },
    { deadBefore: '1970-01-01T00:00:00Z' },
  ]
  for (const selection of selections) {
    const read = await world.db.inTenant(tenantId, (tx) =>
      rowsRead(tx, 'deliveries', () => deadLetters.list(tx, tenantId, selection, page)),
    )
    if (read > rowsReadMax) unbounded.push({ ...selection, read })
  }
  expect(unbounded).toEqual([])
})

test('an old delivery among many is found at once by a status that few have', async () => {
  const { tenant, unitId } = subscribed
  for (const path of ['/v1/webhooks/deliveries', `/v1/webhooks/${unitId}/deliveries`]) {
    const { body } = await tenant.get(`${path}?status=held,retrying`).expect(200)
    expect([body.data.map(({ id }: { id: string }) => id), body.next_cursor]).toEqual([[oldestId], null])
  }
})

test('a list of subscriptions reads those of its page, and as many for their health', async () => {
  const [tenantId, strangerId] = [randomUUID(), randomUUID()]
  const units = Array.from({ length: 20 }, () => randomUUID())
  // 100 of each unit, and as many deleted ones. The oldest is the only one of its unit.
  for (const ofTenant of [tenantId, strangerId]) {
    await world.rows(
      `INSERT INTO subscriptions (id, tenant_id, business_unit_id, destination_url, secret_masked, updated_at, deleted_at)
       SELECT ('01900000-' || lpad(to_hex(n), 4, '0') || '-7000-8000-' || substr(md5(n || $1), 1, 12))::uuid, $1::uuid,
         CASE WHEN n = 0 THEN $3::uuid ELSE ($2::uuid[])[1 + n / 2 % cardinality($2::uuid[])] END,
         'https://receiver.example/hooks', 'whsec_…', now(), CASE WHEN n % 2 = 1 THEN now() END
       FROM generate_series(0, 4000) AS n`,
      ofTenant,
      units,
      subscribed.unitId,
    )
  }
  await world.rows('ANALYZE subscriptions')
  const { limit } = page
  const read = (businessUnitId: string | undefined, before?: string) =>
    world.db.inTenant(tenantId, async (tx) => {
      const list = () => subscriptions.list(tx, tenantId, businessUnitId, { before, limit })
      const rows = await list()
      const ofHealth = () => withHealth(tx, tenantId, rows, { limit, include: 'health' })
      return [await rowsRead(tx, 'subscriptions', list), await rowsRead(tx, 'subscriptions', ofHealth)]
    })
  expect(await read(undefined)).toEqual([limit + 1, limit])
  expect(await read(undefined, '01900000-0400-7000-8000-000000000000')).toEqual([limit + 1, limit])
  expect(await read(units[0])).toEqual([limit + 1, limit])
  expect(await read(subscribed.unitId)).toEqual([1, 1])
})
