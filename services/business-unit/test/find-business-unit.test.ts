import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { created, httpProvider, sandbox, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const unitPath = (tenantId: string, id: string) => `/internal/tenants/${tenantId}/business-units/${id}`

test('webhooks and payment-proxy read a unit with all its payment orchestrators, deleted ones included', async () => {
  const of = await world.unit()
  const [bank, box] = [await created(of, httpProvider()), await created(of, sandbox())]
  await of.tenant.delete(`${of.orchestrators}/${bank.id}`)
  await of.tenant.delete(of.path)
  for (const service of ['webhooks', 'payment-proxy'] as const) {
    const { status, body } = await world.asService(service).get(unitPath(of.tenantId, of.unit.id))
    expect(status).toBe(200)
    expect(body).toEqual({
      tenant_id: of.tenantId,
      business_unit: { ...of.unit, status: 'deleted', version: 2, updated_at: expect.any(String) },
      payment_orchestrators: [
        { ...bank, status: 'deleted', is_default: false, version: 2, updated_at: expect.any(String) },
        box,
      ],
    })
  }
})

test('the unit of another tenant and an unknown one are business_unit_not_found', async () => {
  const { tenantId, unit } = await world.unit()
  for (const path of [unitPath(randomUUID(), unit.id), unitPath(tenantId, randomUUID())]) {
    expect(outcome(await world.asService('webhooks').get(path))).toEqual([404, 'business_unit_not_found'])
  }
})
