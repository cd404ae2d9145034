import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTurns } from '@payments/chassis/database/turns'
import { rowsRead } from '@payments/testing/database/rows-read'
import { runSubscriptionDiscards } from '../src/dispatch/discard-deliveries.ts'
import { listSubscriptionsOfEvent } from '../src/store/event/events.ts'
import { insertDeliveries, type MatchQuery, matchSubscriptions } from '../src/store/event/fan-out.ts'
import { countSubscriptions, list } from '../src/store/subscription/subscriptions.ts'
import { type Subscribed, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

const url = 'https://receiver.example/hooks'
const retentionDays = 30
const turns = createTurns('subscription_discards')
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const matchAll = { only: null, patterns: ['a.b'], after: '00000000-0000-0000-0000-000000000000', limit: 17 }
const buildQueries = ({ tenantId, unitId }: Pick<Subscribed, 'tenantId' | 'unitId'>): MatchQuery[] => [
  { ...matchAll, number: 0, tenantId, businessUnitId: unitId },
  { ...matchAll, number: 1, tenantId, businessUnitId: null },
]

describe('many deleted subscriptions of one tenant', () => {
  const tombstones = 30_000
  let owner: Subscribed
  let other: Subscribed

  beforeAll(async () => {
    owner = await subscribe(world, url)
    other = await subscribe(world, url)
    await world.rows('ANALYZE subscriptions')
    await world.rows(
      `INSERT INTO subscriptions (id, tenant_id, business_unit_id, destination_url, event_types, secret_masked, updated_at, deleted_at)
       SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
         $1::uuid, $2::uuid, 'https://receiver.example/hooks', '{}', '', now(), now()
       FROM generate_series(1, $3::int) AS n`,
      owner.tenantId,
      owner.unitId,
      tombstones,
    )
  })

  const measureReads = ({ tenantId, unitId, id }: Subscribed) =>
    world.db.acrossTenants(async (tx) => {
      const events = buildQueries({ tenantId, unitId })
      const matched: string[] = []
      const match = await rowsRead(tx, 'subscriptions', async () => {
        matched.push(...(await matchSubscriptions(tx, events)).map((found) => found.id))
      })
      expect(matched).toEqual([id, id])
      const page = { before: undefined, limit: 50 }
      return {
        match,
        list: await rowsRead(tx, 'subscriptions', () => list(tx, tenantId, unitId, page)),
        count: await rowsRead(tx, 'subscriptions', () => countSubscriptions(tx, tenantId, unitId)),
      }
    })

  test.each(['stale', 'fresh'])('are not read for events, lists and counts, with %s statistics', async (statistics) => {
    if (statistics === 'fresh') await world.rows('ANALYZE subscriptions')
    for (const subscribed of [owner, other]) {
      const reads = await measureReads(subscribed)
      expect(Math.max(...Object.values(reads))).toBeLessThanOrEqual(4)
    }
  })

  test('are read in a bounded number to explain an event', async () => {
    const { tenantId, unitId, id } = owner
    const event = { tenantEventId: randomUUID(), occurredAt: new Date(Date.now() - 60_000), patterns: ['a.b'] }
    const read = await world.db.inTenant(tenantId, (tx) =>
      rowsRead(tx, 'subscriptions', async () => {
        const found = await listSubscriptionsOfEvent(tx, tenantId, unitId, event)
        expect(found.map((one) => one.id)).toContain(id)
        expect(found).toHaveLength(101)
      }),
    )
    expect(read).toBeLessThanOrEqual(500)
  })
})

describe('the tombstone of a deleted subscription', () => {
  const discard = () => runSubscriptionDiscards(world, turns, retentionDays)

  /** As if the deletion had been `hours` ago, and its next look due. */
  const agedBy = async (id: string, hours: number) => {
    await world.rows(
      "UPDATE subscriptions SET deleted_at = now() - $2::int * interval '1 hour' WHERE id = $1::uuid",
      id,
      hours,
    )
    await world.rows("UPDATE subscription_discards SET due_at = now() - interval '1 second' WHERE id = $1::uuid", id)
  }
  const tablesWith = async (id: string) => {
    const rows = await world.rows<{ name: string }>(
      `SELECT 'subscriptions' AS name FROM subscriptions WHERE id = $1::uuid
       UNION ALL SELECT 'destinations' FROM destinations WHERE subscription_id = $1::uuid
       UNION ALL SELECT 'subscription_discards' FROM subscription_discards WHERE id = $1::uuid ORDER BY name`,
      id,
    )
    return rows.map(({ name }) => name)
  }
  const stored = ['destinations', 'subscription_discards', 'subscriptions']

  async function deleted(): Promise<Subscribed> {
    const subscribed = await subscribe(world, url)
    const { tenant, tenantId, id, path } = subscribed
    await world.rows('INSERT INTO destinations (subscription_id, tenant_id) VALUES ($1::uuid, $2::uuid)', id, tenantId)
    await tenant.delete(path).expect(204)
    return subscribed
  }

  test('is deleted an hour after the deletion when it has no deliveries', async () => {
    const { id } = await deleted()
    await discard()
    expect(await tablesWith(id)).toEqual(stored)
    await agedBy(id, 2)
    await discard()
    expect(await tablesWith(id)).toEqual([])
  })

  test('stays until its deliveries have expired', async () => {
    const { id, tenantId, unitId } = await deleted()
    const [event] = [someEvent(tenantId, unitId)]
    const deliveryId = `${event.id.slice(0, 13)}-7000-8000-${id.slice(24)}`
    await world.rows(
      `INSERT INTO deliveries (id, tenant_id, subscription_id, business_unit_id, tenant_event_id, event_type, occurred_at,
         trace_id, body, status, attempt_count)
       VALUES ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::uuid, 'a.b', $6::timestamptz, gen_random_uuid(), '{}', 'delivered', 1)`,
      deliveryId,
      tenantId,
      id,
      unitId,
      event.id,
      event.occurred_at,
    )
    await agedBy(id, 2)
    await discard()
    expect(await tablesWith(id)).toEqual(stored)
    const [next] = await world.rows<{ days: number }>(
      `SELECT round(extract(epoch FROM due_at - now()) / 86400)::int AS days FROM subscription_discards WHERE id = $1::uuid`,
      id,
    )
    expect(next?.days).toBe(retentionDays + 1)
    await world.rows('DELETE FROM deliveries WHERE id = $1::uuid', deliveryId)
    await agedBy(id, 2)
    await discard()
    expect(await tablesWith(id)).toEqual([])
  })

  test('is not needed by a fan-out that matched the subscription before: it stores no delivery', async () => {
    const { tenantId, unitId } = await tenantWithUnit(world)
    const { id, type, occurred_at: occurredAt } = someEvent(tenantId, unitId)
    const [gone, traceId] = [randomUUID(), randomUUID()]
    const insert = { number: 0, id, tenantId, businessUnitId: unitId, type, traceId, occurredAt, payload: '{}' }
    const delivery = {
      number: 0,
      id: randomUUID(),
      subscriptionId: gone,
      businessUnitId: unitId,
      traceId,
      initial: 'claimed' as const,
    }
    const inserted = await world.db.acrossTenants((tx) => insertDeliveries(tx, [insert], [delivery]))
    expect(inserted).toEqual([])
    expect(await world.rows('SELECT 1 FROM deliveries WHERE subscription_id = $1::uuid', gone)).toEqual([])
  })
})
