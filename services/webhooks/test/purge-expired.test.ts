import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { whileLocked } from '@payments/testing/database/held-lock'
import { purgeSuite } from '@payments/testing/suites/purge'
import { startApiJobs } from '../src/api/jobs.ts'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { type Subscribed, startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

purgeSuite(() => world, startApiJobs, [
  {
    table: 'tasks',
    key: 'id',
    row: `(id, tenant_id, kind, selection, total, created_by, finished_at)
      VALUES ($1::text::uuid, gen_random_uuid(), 'redrive', '{}', 1, 'a', now() - $2::text::interval)`,
    expiredAge: '31 days',
    retainedAge: '29 days',
  },
])

test('deletes no task that has not finished', async () => {
  const tenantId = randomUUID()
  const task = { id: newId(), tenantId, kind: 'redrive' as const, selection: {}, total: 1, createdBy: 'a' }
  await world.db.inTenant(tenantId, (tx) => tx.task.create({ data: task }))
  await purgeExpired({ db: world.db })
  expect(await world.db.inTenant(tenantId, (tx) => tx.task.count())).toBe(1)
})

const url = 'https://hooks.example.com/payments'
const readRow = ({ tenantId, id }: Subscribed) =>
  world.db.inTenant(tenantId, (tx) => tx.subscription.findUniqueOrThrow({ where: { id } }))

test('deletes a previous secret after its grace period, and not before', async () => {
  const [over, lasting] = [await subscribe(world, url), await subscribe(world, url)]
  for (const { tenant, path } of [over, lasting])
    await tenant.post(`${path}/rotate-secret`, { grace_period_seconds: 60 })
  await world.db.inTenant(over.tenantId, (tx) =>
    tx.$executeRawUnsafe(`UPDATE subscriptions SET previous_secret_expires_at = now() - interval '1 second'`),
  )
  await purgeExpired({ db: world.db })
  expect(await readRow(over)).toMatchObject({ previousSecretEncrypted: null, previousSecretExpiresAt: null })
  expect((await readRow(lasting)).previousSecretEncrypted).not.toBeNull()
})

test('skips a subscription that another transaction holds', async () => {
  const [held, free] = [await subscribe(world, url), await subscribe(world, url)]
  for (const { tenant, tenantId, path } of [held, free]) {
    await tenant.post(`${path}/rotate-secret`, { grace_period_seconds: 60 })
    await world.db.inTenant(tenantId, (tx) =>
      tx.$executeRawUnsafe(`UPDATE subscriptions SET previous_secret_expires_at = now() - interval '1 second'`),
    )
  }
  const lock = ['SELECT 1 FROM subscriptions WHERE id = $1::uuid FOR UPDATE', held.id] as const
  await whileLocked(world.database.ownerUrl, lock, () => purgeExpired({ db: world.db }))
  expect((await readRow(held)).previousSecretEncrypted).not.toBeNull()
  expect((await readRow(free)).previousSecretEncrypted).toBeNull()
})
