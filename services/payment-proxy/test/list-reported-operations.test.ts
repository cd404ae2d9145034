import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Connector } from '../src/connectors/connector.ts'
import { pagesOf, readPage, windowOf } from './operator-pages.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/internal/reported-operations'

test('reports the operations that the provider received, the same as the recorded ones', async () => {
  const { tenant, id } = await world.captured()
  await tenant.refund(id, { amount: 400 })
  await world.captured()
  const window = windowOf(tenant.businessUnitId)
  const reported = await pagesOf(world, path, window)
  const recorded = await pagesOf(world, '/internal/recorded-operations', window)
  const factsOf = (found: typeof reported) =>
    new Set(found.map(({ operation_id, state, amount }) => `${operation_id} ${state} ${amount}`))
  expect(factsOf(reported)).toEqual(factsOf(recorded))
  expect(reported).toHaveLength(3)
})

test('reports the operations of each payment orchestrator of the unit once', async () => {
  const tenant = world.tenant()
  const [first, second] = [randomUUID(), randomUUID()]
  await tenant.storeUnit({ orchestrators: [{ id: first }, { id: second }] })
  for (const payment_orchestrator_id of [first, second]) {
    await tenant.authorize('visa', { transaction: { payment_orchestrator_id } })
  }
  const reported = await pagesOf(world, path, windowOf(tenant.businessUnitId))
  expect(new Set(reported.map(({ operation_id }) => operation_id)).size).toBe(2)
  expect(reported).toHaveLength(2)
})

test('a payment orchestrator whose provider does not report is named, and the others are reported', async () => {
  const tenant = world.tenant()
  const [dead, alive] = [randomUUID(), randomUUID()].sort() as [string, string]
  await tenant.storeUnit({ orchestrators: [{ id: dead, status: 'deleted' }, { id: alive }] })
  await tenant.authorize('visa', { transaction: { payment_orchestrator_id: alive } })
  const listOperations: Connector['listOperations'] = async (account, ...rest) => {
    if (account.paymentOrchestratorId === dead) throw new Error('the provider responded with 401')
    return world.sandbox.listOperations?.(account, ...rest) ?? { operations: [], next: null }
  }
  const app = createApp({ ...world.deps, provider: world.providerOf({ ...world.sandbox, listOperations }) })
  const window = windowOf(tenant.businessUnitId)
  const first = (await readPage({ ...world, app }, path, window)).body
  expect(first).toMatchObject({ operations: [] })
  expect(first.not_compared).toEqual([
    { payment_orchestrator_id: dead, kind: 'failed', reason: 'the provider responded with 401' },
  ])
  const second = (await readPage({ ...world, app }, path, { ...window, cursor: first.next })).body
  expect(second).toMatchObject({ operations: [{ payment_orchestrator_id: alive }], not_compared: [], next: null })
})

test('an unknown business unit is business_unit_not_found', async () => {
  const { status, body } = await readPage(world, path, windowOf(randomUUID()))
  expect([status, body.code]).toEqual([404, 'business_unit_not_found'])
})

test('a business unit without payment orchestrators has nothing to report', async () => {
  const { tenant } = await world.captured()
  await tenant.storeUnit({ orchestrators: [] })
  const { status, body } = await readPage(world, path, windowOf(tenant.businessUnitId))
  expect([status, body]).toEqual([200, { operations: [], not_compared: [], next: null }])
})
