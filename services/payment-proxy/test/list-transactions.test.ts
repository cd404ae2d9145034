import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type TestTenant, type World } from './world.ts'

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
    expect(await listIds(tenant, 'status=pending')).toEqual([created.id])
    expect(await listIds(tenant, 'status=failed')).toEqual([failed])
    expect(await listIds(tenant, 'status=authorized')).toEqual([authorized.id])
    expect(await listIds(tenant, 'status=captured')).toEqual([captured.id])
    expect(await listIds(tenant, 'status=refunded')).toEqual([refunded.id])
    expect(await listIds(tenant, 'status=partially_captured')).toEqual([part.id])
    expect(await listIds(tenant, 'status=voided')).toEqual([voided.id])
    expect(await listIds(tenant, 'amount_min=500&amount_max=700')).toEqual([authorized.id, created.id])
    expect(await listIds(tenant, 'amount_max=699')).toEqual([created.id])
    const { created_at: at } = authorized
    expect(await listIds(tenant, `created_before=${at}`)).toEqual([failed, created.id])
    expect(await listIds(tenant, `created_after=${at}&status=authorized`)).toEqual([authorized.id])
    expect(await listIds(tenant, `created_after=${at}&search=${authorized.id}`)).toEqual([authorized.id])
    expect(await listIds(tenant, `created_before=${at}&search=${authorized.id}`)).toEqual([])
    expect(await listIds(tenant, `payment_orchestrator_id=${tenant.paymentOrchestratorId}`)).toHaveLength(7)
    expect(await listIds(tenant, `payment_orchestrator_id=${randomUUID()}`)).toEqual([])
    expect((await tenant.list('?status=unknown')).body.errors).toMatchObject([{ pointer: '/query/status' }])
  })

  test('filters by the state of the open operation, together with other filters, page by page', async () => {
    const tenant = world.tenant()
    await tenant.authorize()
    const unknown: string[] = []
    for (let i = 0; i < 3; i += 1) unknown.unshift((await tenant.authorize('timeout_applied')).body.id)
    const pending = (await tenant.authorize('pending')).body.id
    expect(await listIds(tenant, 'pending_state=unknown')).toEqual(unknown)
    expect(await listIds(tenant, 'pending_state=pending')).toEqual([pending])
    expect(await listIds(tenant, 'pending_state=in_progress')).toEqual([])
    expect(await listIds(tenant, 'pending_state=needs_review')).toEqual([])
    expect(await listIds(tenant, 'pending_state=unknown&status=captured')).toEqual([])
    expect(await listIds(tenant, `pending_state=unknown&business_unit_id=${tenant.businessUnitId}`)).toEqual(unknown)
    const { body: first } = await tenant.list('?pending_state=unknown&limit=2')
    const { body: second } = await tenant.list(`?pending_state=unknown&limit=2&cursor=${first.next_cursor}`)
    const { next_cursor: end } = second
    expect([[...first.data, ...second.data].map(({ id }) => id), end]).toEqual([unknown, null])
    expect(await listIds(world.tenant(), 'pending_state=unknown')).toEqual([])
    world.advanceClock(24 * 60 * 60 * 1_000)
    expect(await listIds(tenant, 'pending_state=needs_review')).toEqual([pending, ...unknown])
    await tenant.sync(pending)
    expect(await listIds(tenant, 'pending_state=needs_review')).toEqual(unknown)
    expect(await listIds(tenant, 'pending_state=pending')).toEqual([pending])
    expect(await listIds(tenant, 'pending_state=unknown')).toEqual([])
    const { body: wrong } = await tenant.list('?pending_state=succeeded')
    expect(wrong.errors).toMatchObject([{ pointer: '/query/pending_state' }])
  })

  test('finds transactions by the start of their reference or of their id', async () => {
    const tenant = world.tenant()
    const create = async (reference: string) => (await tenant.create({ external_reference: reference })).body.id
    const first = await create('Order-1')
    const second = await create('Order-12')
    const hostile = await create('50%_off\\')
    const last = await create('Order-\u{10FFFD}x')
    expect(await listIds(tenant, 'search=Order-1')).toEqual([second, first])
    expect(await listIds(tenant, 'search=Order-')).toEqual([last, second, first])
    expect(await listIds(tenant, 'search=order-')).toEqual([])
    expect(await listIds(tenant, 'search=50%25_')).toEqual([hostile])
    expect(await listIds(tenant, 'search=%25')).toEqual([])
    expect(await listIds(tenant, `search=${first}`)).toEqual([first])
    expect(await listIds(tenant, `search=${second.slice(0, 6).toUpperCase()}`)).toEqual([last, hostile, second, first])
    expect(await listIds(tenant, 'search=Order-1&external_reference=Order-12')).toEqual([second])
    const { body: page } = await tenant.list('?search=Order-&limit=1')
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([last])
    expect(await listIds(tenant, `search=Order-&cursor=${page.next_cursor}`)).toEqual([second, first])
    expect(await listIds(world.tenant(), 'search=Order-1')).toEqual([])
    expect((await tenant.list('?search=')).body.errors).toMatchObject([{ pointer: '/query/search' }])
  })
})

const listIds = async (tenant: TestTenant, query: string): Promise<string[]> =>
  (await tenant.list(`?${query}`)).body.data.map(({ id }: { id: string }) => id)
