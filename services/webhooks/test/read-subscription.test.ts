import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const url = 'https://hooks.example.com/payments'
const listRows = (tenantId: string) => world.db.inTenant(tenantId, (tx) => tx.subscription.findMany())

test('returns the subscription as its creation did, with a masked secret', async () => {
  const { tenant, unitPath } = await tenantWithUnit(world)
  const created = await tenant.post(unitPath, { destination_url: url, label: 'Ledger', event_types: ['api-key.*'] })
  const reply = await tenant.get(`${unitPath}/${created.body.id}`)
  expect([reply.status, reply.body]).toEqual([200, created.body])
  expect(reply.body.secret).toMatch(/^whsec_….{4}$/)
})

test('returns the same 404 for a subscription of another tenant, of another unit, and a missing one', async () => {
  const { id, unitPath, tenant, tenantId } = await subscribe(world, url)
  const stranger = await tenantWithUnit(world)
  const sibling = await tenantWithUnit(world, tenantId)
  const missing = `${unitPath}/${randomUUID()}`
  const replies = [
    await tenant.get(missing),
    await tenant.get(missing),
    await stranger.tenant.get(`${stranger.unitPath}/${id}`),
    await stranger.tenant.get(`${stranger.unitPath}/${randomUUID()}`),
    await tenant.get(`${sibling.unitPath}/${id}`),
  ]
  const bodies = replies.map((reply) => JSON.stringify({ ...reply.body, trace_id: '' }))
  expect(new Set(bodies).size).toBe(1)
  expect([replies[0]?.status, replies[0]?.body.code]).toEqual([404, 'subscription_not_found'])
  expect((await listRows(tenantId))[0]).toMatchObject({ label: null, deletedAt: null })
})
