import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { holdLock } from '@payments/testing/database/held-lock'
import { purgeProviderEvents } from '../src/verbs/purge-provider-events.ts'
import { declined, type ReportingWorld, startReportingWorld, succeeded } from './reporting.ts'
import type { TestTenant } from './world.ts'

let world: ReportingWorld
beforeAll(async () => {
  world = await startReportingWorld()
})
afterAll(() => world.stop())

const dayMs = 24 * 60 * 60 * 1_000
const after = (days: number) => ({ ...world.deps, now: () => new Date(Date.now() + days * dayMs) })

/** A tenant with an event that is applied, and one that waits for its operation. */
async function tenantWithEvents(): Promise<TestTenant> {
  const { tenant, operationId } = await world.unknownAuthorization()
  await world.report(tenant, { operationId, outcome: succeeded })
  await world.report(tenant, { operationId: randomUUID(), outcome: declined })
  await world.applyProviderEvents()
  return tenant
}

test('deletes applied and unmatched events after 90 days, and none that waits', async () => {
  const tenant = await tenantWithEvents()
  expect(await purgeProviderEvents(after(89))).toBe(0)
  expect(await world.inbox(tenant)).toHaveLength(2)
  expect(await purgeProviderEvents(after(91))).toBe(1)
  expect(await world.inbox(tenant)).toMatchObject([{ is_applied: false, is_due: true }])
  await world.rows('UPDATE provider_events SET due_at = NULL WHERE tenant_id = $1::uuid', tenant.id)
  expect(await purgeProviderEvents(after(91))).toBe(1)
  expect(await world.inbox(tenant)).toEqual([])
}, 60_000)

test('deletes many events in several batches, and skips those that are locked', async () => {
  const tenant = await tenantWithEvents()
  await world.rows(
    `INSERT INTO provider_events (id, tenant_id, payment_orchestrator_id, event_id, outcome, received_at,
        attempt_count)
      SELECT ('00' || substr(gen_random_uuid()::text, 3))::uuid, $1::uuid, gen_random_uuid(), 'evt', '{}', now(), 1
      FROM generate_series(1, 10100)`,
    tenant.id,
  )
  const locking = `SELECT 1 FROM provider_events WHERE tenant_id = $1::uuid AND applied_at IS NOT NULL FOR UPDATE`
  const lock = await holdLock(world.database.ownerUrl, locking, tenant.id)
  expect(await purgeProviderEvents(after(91))).toBe(10_100)
  await lock.release()
  expect(await purgeProviderEvents(after(91))).toBe(1)
}, 60_000)
