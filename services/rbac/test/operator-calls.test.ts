import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rbac } from '@payments/contracts/services/rbac/contract'
import { asOperator, operatorCallSql } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const recordsOf = async (traceId: string) => (await world.rows(operatorCallSql, traceId)).map(({ record }) => record)

test('the suspension of a tenant leaves an audit record with the name of the operator', async () => {
  const tenant = await world.tenant()
  const { response, traceId } = await asOperator(world, rbac).post(`/internal/tenants/${tenant.id}/suspend`)
  expect([response.status, response.body.status]).toEqual([200, 'suspended'])
  expect(await recordsOf(traceId)).toMatchObject([
    {
      trace_id: traceId,
      tenant_id: tenant.id,
      actor: { type: 'operator', id: 'ada@example.com' },
      method: 'POST',
      path: `/internal/tenants/${tenant.id}/suspend`,
      operation: 'suspendTenant',
      outcome: 'success',
      status: 200,
      code: null,
    },
  ])
})

test('the suspension of an unknown tenant leaves an audit record too', async () => {
  const id = randomUUID()
  const { response, traceId } = await asOperator(world, rbac).post(`/internal/tenants/${id}/suspend`)
  expect(response.status).toBe(404)
  expect(await recordsOf(traceId)).toMatchObject([
    { tenant_id: id, operation: 'suspendTenant', outcome: 'rejected', status: 404, code: 'tenant_not_found' },
  ])
})

test('an operation of a service leaves no audit record: the gateway recorded its request', async () => {
  const tenant = await world.tenant()
  await tenant.resolve({ role_ids: [tenant.viewerRole] })
  expect(await world.rows(`SELECT 1 FROM operator_calls WHERE record->>'tenant_id' = $1`, tenant.id)).toEqual([])
})
