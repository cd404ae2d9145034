import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Connector, ReportedOperation } from '../src/connectors/connector.ts'
import { readPage, readPages, windowAround } from './operator-pages.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/internal/reported-operations'

const reported: ReportedOperation = {
  operationId: null,
  providerReference: 'reference',
  type: 'authorize',
  state: 'succeeded',
  amount: 100,
  currency: 'EUR',
  receivedAt: new Date(),
}

test('reports the operations that the provider received, the same as the recorded ones', async () => {
  const { tenant, id } = await world.captured()
  await tenant.refund(id, { amount: 400 })
  await world.captured()
  const window = windowAround(tenant.businessUnitId)
  const reported = await readPages(world, path, window)
  const recorded = await readPages(world, '/internal/recorded-operations', window)
  const pickFacts = (found: typeof reported) =>
    new Set(found.map(({ operation_id, state, amount }) => `${operation_id} ${state} ${amount}`))
  expect(pickFacts(reported)).toEqual(pickFacts(recorded))
  expect(reported).toHaveLength(3)
})

test('reports the operations of each payment orchestrator of the unit once', async () => {
  const tenant = world.tenant()
  const [first, second] = [randomUUID(), randomUUID()]
  await tenant.storeUnit({ orchestrators: [{ id: first }, { id: second }] })
  for (const payment_orchestrator_id of [first, second]) {
    await tenant.authorize('visa', { transaction: { payment_orchestrator_id } })
  }
  const reported = await readPages(world, path, windowAround(tenant.businessUnitId))
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
  const app = createApp({
    ...world.deps,
    providerCalls: world.createTestProvider({ ...world.sandbox, listOperations }),
  })
  const window = windowAround(tenant.businessUnitId)
  const first = (await readPage({ ...world, app }, path, window)).body
  expect(first).toMatchObject({ operations: [] })
  expect(first.not_compared).toEqual([
    { payment_orchestrator_id: dead, kind: 'failed', reason: 'the provider responded with 401' },
  ])
  const second = (await readPage({ ...world, app }, path, { ...window, cursor: first.next })).body
  expect(second).toMatchObject({ operations: [{ payment_orchestrator_id: alive }], not_compared: [], next: null })
})

type List = NonNullable<Connector['listOperations']>
const cycle: Readonly<Record<string, string>> = { a: 'b', b: 'c', c: 'd', d: 'b' }

test.each<[string, List, number]>([
  ['empty pages', async (_, { cursor }) => ({ operations: [], next: `${Number(cursor ?? 0) + 1}` }), 100],
  ['one cursor', async () => ({ operations: [reported], next: 'again' }), 2],
  ['a cycle of cursors', async (_, { cursor }) => ({ operations: [reported], next: cycle[cursor ?? ''] ?? 'a' }), 7],
])('a report of %s without an end is named, and the others are reported', async (_what, endless, pagesMax) => {
  const tenant = world.tenant()
  const [loops, ends] = [randomUUID(), randomUUID()].sort() as [string, string]
  await tenant.storeUnit({ orchestrators: [{ id: loops }, { id: ends }] })
  await tenant.authorize('visa', { transaction: { payment_orchestrator_id: ends } })
  const listOperations: List = async (account, ...rest) => {
    if (account.paymentOrchestratorId === loops) return endless(account, ...rest)
    return world.sandbox.listOperations?.(account, ...rest) ?? { operations: [], next: null }
  }
  const app = createApp({
    ...world.deps,
    providerCalls: world.createTestProvider({ ...world.sandbox, listOperations }),
  })
  const window = windowAround(tenant.businessUnitId)
  const pages: { operations: { payment_orchestrator_id: string }[]; not_compared: object[]; next: string | null }[] = []
  for (let cursor: string | null | undefined; cursor !== null && pages.length <= pagesMax; ) {
    const page = await readPage({ ...world, app }, path, { ...window, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(page.body)
    cursor = page.body.next
  }
  expect(pages.flatMap((page) => page.not_compared)).toEqual([
    { payment_orchestrator_id: loops, kind: 'failed', reason: 'the report does not end' },
  ])
  const ofOther = pages.flatMap(({ operations }) => operations).filter((one) => one.payment_orchestrator_id === ends)
  expect([ofOther.length, pages.length, pages.at(-1)?.next]).toEqual([1, pagesMax + 1, null])
})

test('a report with some empty pages, and with many pages, is read to its end', async () => {
  const pagesOfReport = 150
  const listOperations: List = async (_, { cursor }) => {
    const page = Number(cursor ?? 0) + 1
    return { operations: page % 50 === 0 ? [reported] : [], next: page < pagesOfReport ? `${page}` : null }
  }
  const tenant = world.tenant()
  await tenant.storeUnit({ orchestrators: [{ id: randomUUID() }] })
  const app = createApp({
    ...world.deps,
    providerCalls: world.createTestProvider({ ...world.sandbox, listOperations }),
  })
  expect(await readPages({ ...world, app }, path, windowAround(tenant.businessUnitId))).toHaveLength(3)
})

test('an unknown business unit is business_unit_not_found', async () => {
  const { status, body } = await readPage(world, path, windowAround(randomUUID()))
  expect([status, body.code]).toEqual([404, 'business_unit_not_found'])
})

test('a business unit without payment orchestrators has nothing to report', async () => {
  const { tenant } = await world.captured()
  await tenant.storeUnit({ orchestrators: [] })
  const { status, body } = await readPage(world, path, windowAround(tenant.businessUnitId))
  expect([status, body]).toEqual([200, { operations: [], not_compared: [], next: null }])
})
