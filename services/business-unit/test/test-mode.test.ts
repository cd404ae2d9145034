import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { httpProvider, sandbox, startWorld, stripe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ acceptsTestMode: false })
})
afterAll(() => world.stop())

const refused = [422, 'test_mode_not_allowed']

/** A provisioned unit of a new tenant. */
async function provisioned() {
  const [tenantId, id] = [randomUUID(), randomUUID()]
  const body = { business_unit_id: id, name: 'Acme' }
  const response = await world.asOperator.post(`/internal/tenants/${tenantId}/business-units`, body)
  const path = `/v1/business-unit/business-units/${id}/payment-orchestrators`
  return { response, tenantId, path, tenant: world.asTenant(tenantId) }
}

describe('in production', () => {
  test('a provisioned unit has no payment orchestrator', async () => {
    const { response, tenantId } = await provisioned()
    expect([response.status, response.body.payment_orchestrators]).toEqual([200, []])
    expect((await world.events(tenantId)).map(({ type }) => type)).toEqual(['business-unit.business-units.create'])
  })

  test('no payment orchestrator in test mode is created active', async () => {
    const { tenantId, path, tenant } = await provisioned()
    for (const draft of [sandbox(), stripe(), sandbox({ is_default: true })]) {
      expect(outcome(await tenant.post(path, draft))).toEqual(refused)
    }
    expect((await tenant.get(path)).body.data).toEqual([])
    expect(await world.events(tenantId)).toHaveLength(1)
    expect((await tenant.post(path, sandbox({ status: 'inactive' }))).status).toBe(201)
    expect((await tenant.post(path, httpProvider())).body).toMatchObject({ is_default: true, status: 'active' })
  })

  test('none becomes active or the default, and one that was active before can be changed and ended', async () => {
    const { path, tenant } = await provisioned()
    const inactive = (await tenant.post(path, sandbox({ status: 'inactive' }))).body
    expect(outcome(await tenant.patch(`${path}/${inactive.id}`, { status: 'active' }))).toEqual(refused)
    const live = (await tenant.post(path, httpProvider())).body
    await world.rows(`UPDATE payment_orchestrators SET status = 'active' WHERE id = $1::uuid`, inactive.id)
    expect(outcome(await tenant.patch(`${path}/${inactive.id}`, { is_default: true }))).toEqual(refused)
    expect((await tenant.patch(`${path}/${inactive.id}`, { name: 'Old sandbox' })).body.name).toBe('Old sandbox')
    expect((await tenant.patch(`${path}/${inactive.id}`, { status: 'inactive' })).body.status).toBe('inactive')
    expect((await tenant.get(`${path}/${live.id}`)).body.is_default).toBe(true)
  })
})
