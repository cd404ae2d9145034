import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createSandboxAccount } from './sandbox-account.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('listOperations', () => {
  test('lists operations newest first', async () => {
    const tenant = world.tenant()
    const { id, operations } = (await tenant.authorize('visa', { capture: true })).body
    const listed = (await tenant.operations(id, '?limit=1')).body
    expect(listed.data).toEqual([operations[1]])
    expect((await tenant.operations(id, `?cursor=${listed.next_cursor}`)).body.data).toEqual([operations[0]])
  })

  test('shows a transaction without operations as an empty page, and a missing one as transaction_not_found', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.create()).body
    const { status, body } = await tenant.operations(id)
    expect([status, body]).toEqual([200, { data: [], next_cursor: null }])
    const missing = await tenant.operations(randomUUID())
    expect([missing.status, missing.body.code]).toEqual([404, 'transaction_not_found'])
    expect(await tenant.eventTypes()).toEqual(['create'])
  })
})

describe('listSandboxOperations', () => {
  test('shows the ledger as the provider sees it, by transaction and by business unit, to its tenant only', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize()).body
    await tenant.capture(id, { amount: 4_000, final_capture: true })
    const other = (await tenant.authorize('mastercard')).body
    const path = '/v1/payment-proxy/sandbox/operations'
    const list = async (query: string) => (await tenant.send('get', `${path}${query}`)).body.data
    const capture = { type: 'capture', state: 'succeeded', amount: 4_000, amount_released: 6_000, currency: 'EUR' }
    const all = await list('')
    expect(all).toMatchObject([{ type: 'authorize' }, capture, { type: 'authorize', amount: 10_000 }])
    expect(all[1].authorization_id).toBe(all[2].id)
    expect(await list(`?transaction_id=${other.id}`)).toEqual([all[0]])
    expect(await list(`?business_unit_id=${tenant.businessUnitId}`)).toEqual(all)
    expect(await list(`?business_unit_id=${other.id}`)).toEqual([])
    const first = (await tenant.send('get', `${path}?limit=2`)).body
    expect(await list(`?limit=2&cursor=${first.next_cursor}`)).toEqual([all[2]])
    const stranger = world.tenant()
    expect((await stranger.send('get', `${path}?transaction_id=${id}`)).body.data).toEqual([])
  })

  test('the connector reports pages of a period, to reconcile a payment orchestrator', async () => {
    const tenant = world.tenant()
    const from = new Date(Date.now() - 60_000)
    await tenant.authorize()
    await tenant.authorize('declined')
    const { id: tenantId, businessUnitId, paymentOrchestratorId } = tenant
    const account = createSandboxAccount({ tenantId, businessUnitId, paymentOrchestratorId })
    const report = (to: Date, cursor: string | null = null) =>
      world.sandbox.listOperations?.(account, { from, to, cursor }, new AbortController().signal)
    const page = await report(new Date(Date.now() + 60_000))
    expect(page).toMatchObject({ operations: [{ state: 'succeeded' }, { state: 'declined' }], next: null })
    expect(page?.operations.map(({ operationId }) => operationId)).toEqual(
      (await tenant.recorded()).map(({ id }) => id).sort(),
    )
    expect((await report(from))?.operations).toEqual([])
  })
})
