import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { asOperator, operatorCallSql } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const recordsOf = async (traceId: string) =>
  (await world.db.sql.$queryRawUnsafe<{ record: object }[]>(operatorCallSql, traceId)).map(({ record }) => record)

const queue = '/internal/dead-letter-queues/webhooks.dead-letters'

test('a peek of an operator into a dead-letter queue is recorded: dead letters show payloads of tenants', async () => {
  const { response, traceId } = await asOperator(world, webhooks).get(`${queue}/messages?limit=5`)
  expect(response.status).toBe(200)
  expect(await recordsOf(traceId)).toMatchObject([
    {
      tenant_id: null,
      actor: { type: 'operator', id: 'ada@example.com' },
      method: 'GET',
      path: `${queue}/messages`,
      operation: 'peekQueue',
      outcome: 'success',
      status: 200,
    },
  ])
})

test('a redrive by an operator of the dead letters of a tenant is recorded with the tenant', async () => {
  const tenantId = randomUUID()
  const body = { operator: 'ada@example.com', filter: { tenant_id: tenantId }, dry_run: true }
  const { response, traceId } = await asOperator(world, webhooks).post(`${queue}/redrive`, body)
  expect(response.status).toBeLessThan(300)
  expect(await recordsOf(traceId)).toMatchObject([
    { tenant_id: tenantId, operation: 'redriveQueue', outcome: 'success', status: response.status },
  ])
})

test('a malformed redrive is recorded too', async () => {
  const { traceId } = await asOperator(world, webhooks).post(`${queue}/redrive`, { filter: 7 })
  expect(await recordsOf(traceId)).toMatchObject([
    { operation: 'redriveQueue', outcome: 'rejected', status: 400, code: 'invalid_request' },
  ])
})
