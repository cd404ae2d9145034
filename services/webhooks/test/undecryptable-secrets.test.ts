import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import request from 'supertest'
import { someEvent, startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await world.dispatch()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'

async function unopened(): Promise<number> {
  const { text } = await request(world.app).get('/metrics')
  return Number(/^vault_decryption_failures_total(?:\{.*\})? (\d+)$/m.exec(text)?.[1])
}

test('reads and lists subscriptions and auth infos whose secrets cannot be decrypted; a reveal returns 500 and is counted', async () => {
  const { tenantId, tenant, path } = await subscribe(world, url)
  const config = { username: 'payments', password: 'p-secret' }
  const { body: authInfo } = await tenant.post('/v1/webhooks/auth-info', { name: 'a', type: 'basic', config })
  const authInfoPath = `/v1/webhooks/auth-info/${authInfo.id}`
  const paths = [path, path.replace(/\/[^/]+$/, ''), authInfoPath, '/v1/webhooks/auth-info']
  const look = async () => Promise.all(paths.map(async (one) => (await tenant.get(one)).body))
  const shown = await look()
  await world.db.inTenant(tenantId, async (tx) => {
    await tx.$executeRawUnsafe(`UPDATE subscriptions SET secret_encrypted = '\\x00'`)
    await tx.$executeRawUnsafe(`UPDATE auth_infos SET config_encrypted = '\\x00'`)
  })
  const before = await unopened()
  expect(await look()).toEqual(shown)
  expect(await unopened()).toBe(before)
  for (const [i, one] of [path, path.replace(/\/[^/]+$/, ''), authInfoPath].entries()) {
    const reply = await tenant.get(`${one}/reveal`)
    expect([one, reply.status, reply.body.code]).toEqual([one, 500, 'internal_error'])
    expect(await unopened()).toBe(before + i + 1)
  }
})

test('does not send a delivery whose secret cannot be decrypted, counts no attempt, and counts the failure', async () => {
  const endpoint = await receiver()
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId, unitId } = subscribed
  await world.db.inTenant(tenantId, (tx) => tx.$executeRawUnsafe(`UPDATE subscriptions SET secret_encrypted = '\\x00'`))
  const before = await unopened()
  await world.publish(someEvent(tenantId, unitId))
  await until(async () => (await unopened()) > before)
  await until(async () => (await subscribed.deliveries())[0]?.status === 'pending')
  expect((await subscribed.deliveries())[0]).toMatchObject({ attempt_count: 0 })
  expect(endpoint.received).toEqual([])
  await endpoint.close()
})
