import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('listTransactions', () => {
  test('pages newest first, stays correct while rows are added, and shows one tenant only', async () => {
    const tenant = world.tenant()
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) ids.unshift((await tenant.create()).body.id)
    const first = (await tenant.list('?limit=2')).body
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
    await tenant.create()
    const second = (await tenant.list(`?limit=3&cursor=${first.next_cursor}`)).body
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2))
    expect(second.next_cursor).toBeNull()
    expect((await world.tenant().list()).body).toEqual({ data: [], next_cursor: null })
  })

  test('filters by business unit and external reference, and shows the operations of each', async () => {
    const tenant = world.tenant()
    const { body } = await tenant.authorize('visa', { external_reference: 'find me' })
    const other = randomUUID()
    await tenant.storeUnit({}, other)
    await tenant.create({ business_unit_id: other, external_reference: 'find me' })
    const found = await tenant.list(`?business_unit_id=${tenant.businessUnitId}&external_reference=find%20me`)
    expect(found.body.data).toEqual([body])
  })

  test('filters by status, payment orchestrator, time of creation and amount', async () => {
    const tenant = world.tenant()
    const created = (await tenant.create({ amount: 500 })).body
    const failed = (await tenant.authorize('declined')).body.transaction_id
    const authorized = (await tenant.authorize('visa', { amount: 700 })).body
    const captured = (await tenant.authorize('visa', { capture: true })).body
    const refunded = (await tenant.authorize('visa', { capture: true })).body
    await tenant.refund(refunded.id)
    const part = (await tenant.authorize()).body
    await tenant.capture(part.id, { amount: 1 })
    const voided = (await tenant.authorize()).body
    await tenant.void(voided.id)
    const idsOf = async (query: string) =>
      (await tenant.list(`?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await idsOf('status=pending')).toEqual([created.id])
    expect(await idsOf('status=failed')).toEqual([failed])
    expect(await idsOf('status=authorized')).toEqual([authorized.id])
    expect(await idsOf('status=captured')).toEqual([captured.id])
    expect(await idsOf('status=refunded')).toEqual([refunded.id])
    expect(await idsOf('status=partially_captured')).toEqual([part.id])
    expect(await idsOf('status=voided')).toEqual([voided.id])
    expect(await idsOf('amount_min=500&amount_max=700')).toEqual([authorized.id, created.id])
    expect(await idsOf('amount_max=699')).toEqual([created.id])
    const { created_at: at } = authorized
    expect(await idsOf(`created_before=${at}`)).toEqual([failed, created.id])
    expect(await idsOf(`created_after=${created.created_at}&status=authorized`)).toEqual([authorized.id])
    expect(await idsOf(`payment_orchestrator_id=${tenant.paymentOrchestratorId}`)).toHaveLength(7)
    expect(await idsOf(`payment_orchestrator_id=${randomUUID()}`)).toEqual([])
    expect((await tenant.list('?status=unknown')).body.errors).toMatchObject([{ pointer: '/query/status' }])
  })
})
