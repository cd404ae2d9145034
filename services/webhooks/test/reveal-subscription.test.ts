import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/permission'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'
const asActor = (tenantId: string, actorId: string) => world.asTenant(tenantId, permissionNames, actorId)

describe('revealSubscription', () => {
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

  test('rejects the sixth reveal in a minute, and counts reveals that found nothing', async () => {
    const { tenantId, path } = await subscribe(world, url)
    const actor = asActor(tenantId, randomUUID())
    const missing = path.replace(/[^/]+$/, randomUUID())
    for (let i = 0; i < 3; i += 1) expect((await actor.get(`${missing}/reveal`)).status).toBe(404)
    for (let i = 0; i < 2; i += 1) expect((await actor.get(`${path}/reveal`)).status).toBe(200)
    const rejected = await actor.get(`${path}/reveal`)
    expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await asActor(tenantId, randomUUID()).get(`${path}/reveal`)).status).toBe(200)
  })

  test('of ten reveals at once, five succeed', async () => {
    const { tenantId, path } = await subscribe(world, url)
    const actor = asActor(tenantId, randomUUID())
    const replies = await Promise.all(Array.from({ length: 10 }, () => actor.get(`${path}/reveal`)))
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(5)
    expect(replies.filter((reply) => reply.status === 429)).toHaveLength(5)
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
})

describe('revealSubscriptions', () => {
  test('reveals the secrets of a page, and shares the limit', async () => {
    const one = await subscribe(world, url)
    const two = await subscribe(world, url, { tenantId: one.tenantId, unitId: one.unitId })
    const actor = asActor(one.tenantId, randomUUID())
    const list = `/v1/webhooks/${one.unitId}/webhooks/reveal`
    const reply = await actor.get(list)
    const secrets = reply.body.data.map((subscription: { secret: string }) => subscription.secret)
    expect(secrets).toEqual([two.secret, one.secret])
    for (let i = 0; i < 4; i += 1) await actor.get(`${one.path}/reveal`)
    expect((await actor.get(list)).status).toBe(429)
    expect((await world.asTenant(randomUUID()).get(list)).body.data).toEqual([])
  })
})
