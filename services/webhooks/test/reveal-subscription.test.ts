import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'

test('reveals the secret in the form of Standard Webhooks, with Cache-Control no-store', async () => {
  const { tenantId, path } = await subscribe(world, url)
  const reply = await world.asTenant(tenantId).get(`${path}/reveal`)
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(reply.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
  const bytes = Buffer.from(reply.body.secret.slice(6), 'base64').length
  expect(bytes >= 24 && bytes <= 32).toBe(true)
  expect((await world.asTenant(tenantId).get(path)).body).toEqual({
    ...reply.body,
    secret: expect.stringMatching(/^whsec_…/),
  })
})

test('a secret moved to another subscription cannot be decrypted', async () => {
  const [one, two] = [await subscribe(world, url), await subscribe(world, url)]
  const [row] = await world.db.inTenant(one.tenantId, (tx) => tx.subscription.findMany())
  await world.db.inTenant(two.tenantId, (tx) =>
    tx.subscription.updateMany({ data: { secretEncrypted: row?.secretEncrypted ?? null } }),
  )
  const reply = await world.asTenant(two.tenantId).get(`${two.path}/reveal`)
  expect([reply.status, reply.body.code]).toEqual([500, 'internal_error'])
  expect(reply.text).not.toContain('whsec_')
})

test('requires webhook:RevealSecret', async () => {
  const { tenantId, path } = await subscribe(world, url)
  const reply = await world.asTenant(tenantId, ['webhook:ReadSubscription']).get(`${path}/reveal`)
  expect(reply.status).toBe(403)
})
