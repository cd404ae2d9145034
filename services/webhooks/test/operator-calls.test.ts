import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operatorRecords } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('a redrive by an operator of the dead letters of a tenant is recorded with the tenant', async () => {
  const tenantId = randomUUID()
  const body = { operator: 'ada@example.com', filter: { tenant_id: tenantId }, dry_run: true }
  const response = await world.asOperator.post('/internal/dead-letter-queues/webhooks.dead-letters/redrive', body)
  expect(response.status).toBeLessThan(300)
  expect(await operatorRecords(world.rows, response)).toMatchObject([
    { tenant_id: tenantId, operation: 'redriveQueue', outcome: 'success', status: response.status },
  ])
})
