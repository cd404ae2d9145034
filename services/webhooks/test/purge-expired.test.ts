import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { whileLocked } from '@payments/testing/database/held-lock'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { type Subscribed, startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'
const rowOf = ({ tenantId, id }: Subscribed) =>
  world.db.inTenant(tenantId, (tx) => tx.subscription.findUniqueOrThrow({ where: { id } }))

test('deletes a previous secret after its grace period, and not before', async () => {
  const [over, lasting] = [await subscribe(world, url), await subscribe(world, url)]
  for (const { tenant, path } of [over, lasting])
    await tenant.post(`${path}/rotate-secret`, { grace_period_seconds: 60 })
  await world.db.inTenant(over.tenantId, (tx) =>
    tx.$executeRawUnsafe(`UPDATE subscriptions SET previous_secret_expires_at = now() - interval '1 second'`),
  )
  await purgeExpired({ db: world.db })
  expect(await rowOf(over)).toMatchObject({ previousSecretEncrypted: null, previousSecretExpiresAt: null })
  expect((await rowOf(lasting)).previousSecretEncrypted).not.toBeNull()
})

test('deletes expired Idempotency-Keys and old tasks, and no other rows', async () => {
  const tenantId = randomUUID()
  const [minuteMs, dayMs] = [60_000, 86_400_000]
  const ago = (ms: number) => new Date(Date.now() - ms)
  const idempotencyKeys = [
    { tenantId, key: 'old', fingerprint: '', expiresAt: ago(1_000) },
    { tenantId, key: 'young', fingerprint: '', expiresAt: ago(-minuteMs) },
  ]
  const task = { tenantId, kind: 'redrive' as const, selection: {}, total: 1, createdBy: 'a' }
  const tasks = [ago(31 * dayMs), ago(29 * dayMs), null].map((finishedAt) => ({ ...task, id: newId(), finishedAt }))
  await world.db.inTenant(tenantId, async (tx) => {
    await tx.idempotencyKey.createMany({ data: idempotencyKeys })
    await tx.task.createMany({ data: tasks })
  })
  await purgeExpired({ db: world.db })
  const left = await world.db.inTenant(tenantId, async (tx) => [
    (await tx.idempotencyKey.findMany()).map(({ key }) => key),
    (await tx.task.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id),
  ])
  expect(left).toEqual([['young'], tasks.slice(1).map(({ id }) => id)])
})

test.each(['subscriptions', 'tasks'])('skips a row of %s that another transaction holds', async (table) => {
  const [held, free] = [await subscribe(world, url), await subscribe(world, url)]
  const finishedAt = new Date(Date.now() - 31 * 86_400_000)
  for (const { tenant, tenantId, path, id } of [held, free]) {
    await tenant.post(`${path}/rotate-secret`, { grace_period_seconds: 60 })
    await world.db.inTenant(tenantId, async (tx) => {
      await tx.$executeRawUnsafe(`UPDATE subscriptions SET previous_secret_expires_at = now() - interval '1 second'`)
      const task = { kind: 'redrive', selection: {}, total: 1, createdBy: 'a', finishedAt } as const
      await tx.task.create({ data: { ...task, id, tenantId } })
    })
  }
  const left = async (subscribed: Subscribed) => ({
    subscriptions: (await rowOf(subscribed)).previousSecretEncrypted === null ? 0 : 1,
    tasks: await world.db.inTenant(subscribed.tenantId, (tx) => tx.task.count({ where: { id: subscribed.id } })),
  })
  const lock = [`SELECT 1 FROM ${table} WHERE id = $1::uuid FOR UPDATE`, held.id] as const
  await whileLocked(world.database.ownerUrl, lock, () => purgeExpired({ db: world.db }))
  expect(await left(held)).toEqual({ subscriptions: 0, tasks: 0, [table]: 1 })
  expect(await left(free)).toEqual({ subscriptions: 0, tasks: 0 })
})
