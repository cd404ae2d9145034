import { afterAll, beforeAll } from '@jest/globals'
import { purgeSuite } from '@payments/testing/suites/purge'
import { startJobs } from '../src/jobs.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

purgeSuite(
  () => world,
  ({ deps }) => startJobs(deps, { config: { COMMUNICATION_RETENTION_DAYS: 90 } }),
  [
    {
      table: 'message_rates',
      key: 'key',
      row: '(key, busy_until) VALUES ($1, now() - $2::text::interval)',
      expiredAge: '1 second',
      retainedAge: '-1 minute',
    },
    {
      table: 'outbox_messages',
      key: 'id',
      row: `(id, tenant_id, business_unit_id, communication_type, recipient, content, created_at)
        VALUES ($1::text::uuid, gen_random_uuid(), gen_random_uuid(), 'EMAIL', 'x', '{}', now() - $2::text::interval)`,
      expiredAge: '8 days',
      retainedAge: '6 days',
    },
    {
      table: 'user_invitation_mails',
      key: 'id',
      row: `(id, tenant_id, recipient, trace_id, status, provider, ended_at)
        VALUES ($1::text::uuid, gen_random_uuid(), 'x', gen_random_uuid(), 'sent', 'smtp', now() - $2::text::interval)`,
      expiredAge: '31 days',
      retainedAge: '29 days',
    },
  ],
)
