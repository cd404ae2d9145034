import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runJobs } from '@payments/testing/suites/run-jobs'
import type { ProviderCalls } from '../src/connectors/provider-calls.ts'
import { startJobs } from '../src/jobs.ts'
import { type ReportingWorld, startReportingWorld, succeeded } from './reporting.ts'
import type { TestTenant } from './world.ts'

let world: ReportingWorld
beforeAll(async () => {
  world = await startReportingWorld()
})
afterAll(() => world.stop())

const readStatus = async ({ tenant, id }: { tenant: TestTenant; id: string }): Promise<string> =>
  (await tenant.read(id)).body.status

test('the process resumes, releases, applies events, fails refunds and purges by its jobs', async () => {
  const reported = await world.unknownAuthorization()
  const expired = await world.authorized()
  const refunded = await world.captured('refund_fails_later')
  expect((await refunded.tenant.refund(refunded.id)).status).toBe(200)
  world.advanceClock(7 * 24 * 60 * 60 * 1_000)
  const open = await world.authorized('timeout_applied')
  world.advanceClock(60_000)
  await world.report(reported.tenant, { operationId: reported.operationId, outcome: succeeded })
  await world.rows(
    `INSERT INTO provider_events (id, tenant_id, payment_orchestrator_id, event_id, outcome, received_at, attempt_count)
     VALUES ('00000000-0000-7000-8000-000000000001', gen_random_uuid(), gen_random_uuid(), 'old', '{}', now(), 1)`,
  )
  await runJobs(() => startJobs(world.deps, { config: { PAYMENT_CUSTOMER_RETENTION_DAYS: 3_650 } }))
  expect([await readStatus(open), await readStatus(expired)]).toEqual(['authorized', 'voided'])
  // An event whose operation another job claims at this moment waits for a later run.
  for (let runs = 1; runs < 5 && (await readStatus(reported)) === 'pending'; runs += 1) {
    world.advanceClock(60_000)
    await runJobs(() => startJobs(world.deps, { config: { PAYMENT_CUSTOMER_RETENTION_DAYS: 3_650 } }))
  }
  expect(await readStatus(reported)).toBe('authorized')
  expect((await refunded.tenant.ledger()).at(-1)?.state).toBe('declined')
  expect(await world.rows(`SELECT id FROM provider_events WHERE event_id = 'old'`)).toEqual([])
})

test.each([
  [
    'of open operations',
    async () => {
      await world.authorized('timeout_applied')
      world.advanceClock(60_000)
    },
  ],
  [
    'of expired authorizations',
    async () => {
      await world.authorized()
      world.advanceClock(7 * 24 * 60 * 60 * 1_000)
    },
  ],
  [
    'of captures after an event',
    async () => {
      const { tenant, operationId } = await world.unknownAuthorization({ capture: true })
      await world.report(tenant, { operationId, outcome: succeeded })
    },
  ],
])('a stop waits for the requests to providers %s', async (_, prepare) => {
  await prepare()
  const order: string[] = []
  const send: ProviderCalls['send'] = async (request) => {
    const outcome = await world.deps.providerCalls.send(request)
    await delay(100)
    order.push('responded')
    return outcome
  }
  await runJobs(() =>
    startJobs(
      { ...world.deps, providerCalls: { ...world.deps.providerCalls, send } },
      { config: { PAYMENT_CUSTOMER_RETENTION_DAYS: 3_650 } },
    ),
  )
  order.push('stopped')
  expect(order).toContain('responded')
  expect(order.at(-1)).toBe('stopped')
})
