import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { waitingPayment } from './bank.ts'
import { readPages, windowAround } from './operator-pages.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const recorded = (query: Record<string, string>) =>
  readPages(world, '/internal/recorded-operations', { limit: '2', ...query })

test('lists the operations of a business unit that went to a provider', async () => {
  const { tenant, id } = await world.captured()
  await tenant.refund(id, { amount: 400 })
  await tenant.authorize('declined')
  await world.captured()
  await tenant.void((await tenant.create()).body.id)
  const found = await recorded(windowAround(tenant.businessUnitId))
  expect(found.map(({ state, amount }) => [state, amount])).toEqual([
    ['succeeded', 10_000],
    ['succeeded', 10_000],
    ['succeeded', 400],
    ['declined', 10_000],
  ])
})

test('lists only operations of the period', async () => {
  const { tenant } = await world.authorized()
  const { to, ...window } = windowAround(tenant.businessUnitId)
  expect(await recorded({ ...window, to: window.from })).toEqual([])
  expect(await recorded({ ...window, from: to, to: new Date(Date.now() + 7_200_000).toISOString() })).toEqual([])
})

const open = (query: Record<string, string> = {}) =>
  readPages(world, '/internal/open-operations', { limit: '1', ...query })

test('lists open operations of all tenants, oldest first, with the reason', async () => {
  const [first, second] = [world.tenant(), world.tenant()]
  const unknown = (await first.authorize('timeout_applied')).body
  const pending = (await second.authorize('pending')).body
  await first.authorize('visa')
  expect((await open()).map(({ id, state, reason }) => [id, state, reason])).toEqual([
    [unknown.operations[0].id, 'unknown', 'the connector failed'],
    [pending.operations[0].id, 'pending', 'the provider reports the outcome later'],
  ])
  expect((await open({ tenant_id: second.id })).map(({ id }) => id)).toEqual([pending.operations[0].id])
  await first.sync(unknown.id)
  expect(await open({ tenant_id: first.id })).toEqual([])
})

test('lists an authorization that waits for the payer, until the payer has confirmed', async () => {
  const { tenant, reply, bank } = await waitingPayment(world)
  const [operation] = reply.body.operations
  const reason = 'the payer has to confirm the payment at their bank'
  expect(await open({ tenant_id: tenant.id })).toMatchObject([{ id: operation.id, state: 'action_required', reason }])
  await bank.decide('confirm')
  await world.applyProviderEvents()
  expect(await open({ tenant_id: tenant.id })).toEqual([])
})

test('shows an operation that has been unknown for a day as needs_review', async () => {
  const tenant = world.tenant()
  const { body } = await tenant.authorize('unknown_forever')
  world.advanceClock(25 * 60 * 60 * 1000)
  expect(await open({ tenant_id: tenant.id })).toMatchObject([{ id: body.operations[0].id, state: 'needs_review' }])
})
