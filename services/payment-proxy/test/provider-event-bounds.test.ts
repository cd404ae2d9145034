import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createRates } from '@payments/chassis/base/rates'
import { holdLock } from '@payments/testing/database/held-lock'
import { queuedMax, unmatchedMax } from '../src/domain/provider-event.ts'
import { createTurnsOfJobs } from '../src/operation/due-rows.ts'
import { createWorkPermits } from '../src/operation/work-permits.ts'
import { applyProviderEvents } from '../src/verbs/apply-provider-events.ts'
import { buildEvent, declined, type ReportingWorld, startReportingWorld, succeeded } from './reporting.ts'
import { heldProvider, type TestTenant } from './world.ts'

let world: ReportingWorld
beforeAll(async () => {
  world = await startReportingWorld()
})
afterAll(() => world.stop())

/** Stores events about operations that do not exist, received a minute ago: their ids precede later ones. */
async function flood(count: number, tenant: TestTenant = world.tenant()): Promise<TestTenant> {
  await tenant.list()
  await world.rows(
    `INSERT INTO provider_events (id, tenant_id, payment_orchestrator_id, event_id, operation_id, outcome, received_at,
        attempt_count, due_at)
      SELECT ('00' || substr(gen_random_uuid()::text, 3))::uuid, $1::uuid, $2::uuid, gen_random_uuid()::text, gen_random_uuid(), $3::jsonb,
        now() - interval '1 minute', 0, now() - interval '1 minute' FROM generate_series(1, $4::int)`,
    tenant.id,
    tenant.paymentOrchestratorId,
    JSON.stringify(buildEvent({ outcome: declined }).outcome),
    count,
  )
  return tenant
}

const countQueued = async (tenant: TestTenant) => (await world.inbox(tenant)).filter(({ is_due }) => is_due).length

describe('the inbox of provider webhooks', () => {
  beforeEach(() => world.rows('DELETE FROM provider_events'))

  test('1,500 events of a tenant about unknown operations delay the event of another by one batch', async () => {
    await flood(1_500)
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, outcome: succeeded })
    await world.applyProviderEvents()
    expect((await tenant.read(id)).body.status).toBe('authorized')
  }, 60_000)

  test('a batch finds a due event behind 1,200 tenants whose events wait for a later time', async () => {
    await world.rows(
      `INSERT INTO provider_events (id, tenant_id, payment_orchestrator_id, event_id, operation_id, outcome,
          received_at, attempt_count, due_at)
        SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'evt', gen_random_uuid(), $1::jsonb,
          now(), 1, now() + interval '1 day' FROM generate_series(1, 1200)`,
      JSON.stringify(buildEvent({ outcome: declined }).outcome),
    )
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, outcome: succeeded })
    // With its own turns, which begin before the first tenant.
    const captures = createWorkPermits('test', world.deps.log)
    await applyProviderEvents(world.deps, captures, createTurnsOfJobs().events)
    expect((await tenant.read(id)).body.status).toBe('authorized')
  }, 60_000)

  test('ends the wait of the oldest unmatched events of a payment orchestrator beyond its bound, and of no later ones', async () => {
    const tenant = await flood(unmatchedMax + 20)
    await world.rows(`UPDATE provider_events SET attempt_count = 1 WHERE tenant_id = $1::uuid`, tenant.id)
    await world.report(tenant, { operationId: randomUUID(), outcome: declined })
    await world.rows(
      `UPDATE provider_events SET due_at = now() + interval '1 hour' WHERE tenant_id = $1::uuid AND attempt_count = 1`,
      tenant.id,
    )
    await world.applyProviderEvents()
    expect(await countQueued(tenant)).toBe(unmatchedMax)
    expect((await world.inbox(tenant)).at(-1)).toEqual({ attempts: 1, is_applied: false, is_due: true })
  }, 60_000)

  test('rejects events beyond those that wait for a payment orchestrator, and only its events', async () => {
    const tenant = await flood(queuedMax)
    const event = buildEvent({ operationId: randomUUID(), outcome: declined })
    const reply = await world.post(tenant.paymentOrchestratorId, event)
    expect([reply.status, reply.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    expect(await countQueued(tenant)).toBe(queuedMax)
    const other = world.tenant()
    await other.list()
    expect((await world.post(other.paymentOrchestratorId, event)).status).toBe(200)
    await world.rows('UPDATE provider_events SET due_at = NULL WHERE tenant_id = $1::uuid', tenant.id)
    expect((await world.post(tenant.paymentOrchestratorId, event)).status).toBe(200)
  }, 60_000)

  test('a provider that is slow to capture does not delay the events of others', async () => {
    const slow = await world.unknownAuthorization({ capture: true })
    await world.report(slow.tenant, { operationId: slow.operationId, outcome: succeeded })
    const provider = heldProvider(world.deps.providerCalls)
    const captures = createWorkPermits('test', world.deps.log)
    const turns = createTurnsOfJobs().events
    await applyProviderEvents({ ...world.deps, providerCalls: provider }, captures, turns)
    await provider.reached
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, outcome: declined })
    await applyProviderEvents({ ...world.deps, providerCalls: provider }, captures, turns)
    expect((await tenant.read(id)).body.status).toBe('failed')
    provider.respond()
    await captures.settled()
  }, 60_000)

  test('an event that another process has locked is left to it', async () => {
    const { tenant, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, outcome: succeeded })
    const lock = await holdLock(
      world.database.ownerUrl,
      'SELECT 1 FROM provider_events WHERE tenant_id = $1::uuid FOR UPDATE',
      tenant.id,
    )
    expect(await world.applyProviderEvents()).toBe(0)
    expect(await world.inbox(tenant)).toMatchObject([{ is_applied: false, is_due: true }])
    await lock.release()
    expect(await world.applyProviderEvents()).toBe(1)
    expect(await world.inbox(tenant)).toMatchObject([{ is_applied: true }])
  }, 60_000)

  test('an event whose operation a sweeper claims meanwhile is applied to the operation as it is then', async () => {
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, outcome: succeeded })
    const claim = await holdLock(
      world.database.ownerUrl,
      'UPDATE operations SET attempt_count = attempt_count + 1 WHERE id = $1::uuid',
      operationId,
    )
    const applying = world.applyProviderEvents()
    await claim.untilWaiting(1)
    await claim.release()
    expect(await applying).toBe(1)
    expect(await world.inbox(tenant)).toEqual([{ attempts: 1, is_applied: true, is_due: false }])
    const { status, operations } = (await tenant.read(id)).body
    expect([status, operations[0].attempt_count]).toEqual(['authorized', 2])
  }, 60_000)
})

describe('createRates', () => {
  test('admits the burst of a payment orchestrator at once, then its rate, and counts the others apart', () => {
    let now = 0
    const secondsToWait = createRates({ perSecond: 2, burst: 3 }, () => now)
    expect([1, 2, 3, 4].map(() => secondsToWait('one'))).toEqual([0, 0, 0, 1])
    expect(secondsToWait('other')).toBe(0)
    now = 500
    expect([1, 2].map(() => secondsToWait('one'))).toEqual([0, 1])
  })
})

describe('receiveProviderWebhook', () => {
  test('counts signed events only: forged ones do not use up the rate of the provider', async () => {
    const tenant = world.tenant()
    await tenant.list()
    const app = world.reportingApp({ secondsToWait: createRates({ perSecond: 1, burst: 2 }, () => 0) })
    const post = (sign?: string) => world.post(tenant.paymentOrchestratorId, { ignored: 'evt_1' }, sign, app)
    for (let sent = 0; sent < 5; sent += 1) expect((await post('forged')).status).toBe(400)
    expect([(await post()).status, (await post()).status]).toEqual([200, 200])
    const reply = await post()
    expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
  })

  test('responds 503 with Retry-After while the account cannot be read, and stores nothing', async () => {
    const tenant = world.tenant()
    await tenant.list()
    const app = world.reportingApp({ accounts: { find: () => new Promise(() => {}) } })
    const event = buildEvent({ outcome: declined })
    const reply = await world.post(tenant.paymentOrchestratorId, event, undefined, app)
    expect([reply.status, reply.body.code]).toEqual([503, 'service_unavailable'])
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    expect(await world.inbox(tenant)).toEqual([])
  })
})
