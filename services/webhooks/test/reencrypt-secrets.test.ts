import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('reencryptSecrets encrypts signing secrets, previous ones and credentials under a newer data key without changing them', async () => {
  const { tenantId, tenant, path } = await subscribe(world, 'https://example.com/a')
  await tenant.post(`${path}/rotate-secret`, { grace_period_seconds: 3_600 })
  const config = { username: 'payments', password: 'p-secret' }
  const { body: authInfo } = await tenant.post('/v1/webhooks/auth-info', { name: 'a', type: 'basic', config })
  const reveals = [`${path}/reveal`, `/v1/webhooks/auth-info/${authInfo.id}/reveal`]
  const shown = async () => Promise.all(reveals.map(async (one) => (await tenant.get(one)).body))
  const before = await shown()
  const dataKeys = () =>
    world.db.inTenant(tenantId, async (tx) => {
      const [subscription] = await tx.subscription.findMany()
      const [info] = await tx.authInfo.findMany()
      const encrypted = [subscription?.secretEncrypted, subscription?.previousSecretEncrypted, info?.configEncrypted]
      return encrypted.map((bytes) => Buffer.from(bytes ?? []).toString('hex', 1, 17))
    })
  const previous = await dataKeys()
  const since = new Date(Date.now() + 1).toISOString()
  const reply = await world.asOperator.post('/internal/secrets/reencrypt', { after: null, limit: 10, since })
  expect([reply.status, reply.body]).toEqual([200, { current: 'k1', done: 3, failed: 0, remaining: 0, next: null }])
  const current = await dataKeys()
  expect([new Set(previous).size, new Set(current).size, current.includes(previous[0] ?? '')]).toEqual([1, 1, false])
  expect(await shown()).toEqual(before)
  const again = await world.asOperator.post('/internal/secrets/reencrypt', { after: null, limit: 10, since })
  expect(again.body.done).toBe(0)
})
