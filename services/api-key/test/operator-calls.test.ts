import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { asOperator, operatorCallSql } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('the first key of a tenant leaves an audit record of the operator, without the key', async () => {
  const tenant = await world.tenant()
  const body = { name: 'First key', description: '', role_name: 'admin' }
  const { response, traceId } = await asOperator(world, apiKey).post(`/internal/tenants/${tenant.id}/keys`, body)
  expect(response.status).toBe(201)
  const records = await world.rows(operatorCallSql, traceId)
  expect(records).toMatchObject([
    {
      record: {
        tenant_id: tenant.id,
        actor: { type: 'operator', id: 'ada@example.com' },
        operation: 'issueKey',
        outcome: 'success',
        status: 201,
      },
    },
  ])
  expect(JSON.stringify(records)).not.toContain(response.body.value)
  expect(JSON.stringify(records)).not.toContain('First key')
})
