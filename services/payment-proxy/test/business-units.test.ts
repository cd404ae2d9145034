import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { BusinessUnitCopies } from '@payments/service/business-units/copies'
import { createApp } from '../src/app.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Reply = Awaited<ReturnType<TestTenant['read']>>

/** Copies whose callers of `current` wait for each other, so that none comes after the first read has ended. */
function readAtOnce(units: BusinessUnitCopies, callersTotal: number): BusinessUnitCopies {
  let waiting = 0
  let begin = () => {}
  const complete = new Promise<void>((resolve) => {
    begin = resolve
  })
  return {
    ...units,
    current: async (...call) => {
      waiting += 1
      if (waiting === callersTotal) begin()
      await complete
      return units.current(...call)
    },
  }
}

const toProblem = ({ status, body }: Reply) => [status, body.code]

describe.each(['create', 'authorize'] as const)('%s', (verb) => {
  const send = (tenant: TestTenant, body: object = {}) =>
    verb === 'create' ? tenant.create(body) : tenant.authorize('visa', body)

  async function refused(tenant: TestTenant, body: object, status: number, code: string): Promise<Reply> {
    const reply = await send(tenant, body)
    expect(toProblem(reply)).toEqual([status, code])
    expect((await tenant.list()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
    return reply
  }

  test('responds 404 to an unknown business unit and to one of another tenant', async () => {
    const [tenant, other] = [world.tenant(), world.tenant()]
    await other.list()
    for (const business_unit_id of [randomUUID(), other.businessUnitId]) {
      await refused(tenant, { business_unit_id }, 404, 'business_unit_not_found')
    }
  })

  test('responds 409 to a deleted business unit', async () => {
    const tenant = world.tenant()
    await tenant.storeUnit({ unit: { status: 'deleted' } })
    await refused(tenant, {}, 409, 'business_unit_deleted')
  })

  test('uses the default payment orchestrator of the business unit, or the given one', async () => {
    const tenant = world.tenant()
    const [one, usual] = [randomUUID(), randomUUID()]
    await tenant.storeUnit({
      orchestrators: [
        { id: one, is_default: false },
        { id: usual, is_default: true },
      ],
    })
    expect((await send(tenant)).body.payment_orchestrator_id).toBe(usual)
    const given = { transaction: { payment_orchestrator_id: one } }
    expect((await send(tenant, given)).body.payment_orchestrator_id).toBe(one)
  })

  const givenId = randomUUID()
  const unusable: [string, Partial<PaymentOrchestrator>[], string | undefined, string][] = [
    ['a unit without a default', [{ is_default: false }], undefined, 'has no default payment orchestrator'],
    ['an unknown one', [{}], randomUUID(), 'is unknown in the business unit'],
    ['an inactive default', [{ status: 'inactive' }], undefined, 'is inactive'],
    ['a deleted one', [{ id: givenId, status: 'deleted' }], givenId, 'is deleted'],
    ['another currency', [{ currencies: ['USD', 'JPY'] }], undefined, 'does not accept EUR'],
  ]
  test.each(unusable)('responds 422 to %s, and says why', async (_case, orchestrators, requested, detail) => {
    const tenant = world.tenant()
    await tenant.storeUnit({ orchestrators })
    const body = requested === undefined ? {} : { transaction: { payment_orchestrator_id: requested } }
    const reply = await refused(tenant, body, 422, 'payment_orchestrator_unusable')
    expect(reply.body.detail).toContain(detail)
  })

  test('responds 422 to a payment orchestrator of another business unit', async () => {
    const tenant = world.tenant()
    const other = randomUUID()
    await tenant.storeUnit({ orchestrators: [{ id: other }] }, randomUUID())
    const body = { transaction: { payment_orchestrator_id: other } }
    await refused(tenant, body, 422, 'payment_orchestrator_unusable')
  })

  test('uses the default currency of the business unit, and requires a currency where there is none', async () => {
    const tenant = world.tenant()
    const missing = await refused(tenant, { currency: undefined }, 400, 'invalid_request')
    expect(missing.body.errors).toMatchObject([{ pointer: '/currency' }])
    await tenant.storeUnit({ unit: { default_currency: 'JPY' } })
    expect((await send(tenant, { currency: undefined })).body.currency).toBe('JPY')
    expect((await send(tenant, { currency: 'EUR' })).body.currency).toBe('EUR')
  })

  test('replays its response after the business unit was deleted', async () => {
    const tenant = world.tenant()
    const act = () => (verb === 'create' ? tenant.create({}, 'key') : tenant.authorize('visa', {}, 'key'))
    const first = await act()
    await tenant.storeUnit({ unit: { status: 'deleted' } })
    const second = await act()
    expect([second.status, second.body]).toEqual([201, first.body])
  })
})

describe('a copy that does not accept a payment is read again at business-unit:', () => {
  const changed: [string, object, object, object][] = [
    ['a new payment orchestrator', { orchestrators: [] }, { orchestrators: [{ id: 'given' }] }, {}],
    [
      'a new default',
      { orchestrators: [{ id: 'given', is_default: false }] },
      { orchestrators: [{ id: 'given' }] },
      {},
    ],
    ['one that was activated', { orchestrators: [{ status: 'inactive' }] }, { orchestrators: [{ id: 'given' }] }, {}],
    ['a new currency', { orchestrators: [{ currencies: ['USD'] }] }, { orchestrators: [{ id: 'given' }] }, {}],
    ['a default currency', {}, { unit: { default_currency: 'EUR', version: 2 } }, { currency: undefined }],
  ]
  test.each(changed)('%s takes payments from the response to the change on', async (_case, copied, current, body) => {
    const tenant = world.tenant()
    const id = tenant.paymentOrchestratorId
    const withIds = (given: { orchestrators?: Partial<PaymentOrchestrator>[] }) => ({
      ...given,
      orchestrators: (given.orchestrators ?? [{}]).map((one) => ({ ...one, id })),
    })
    await tenant.storeUnit(withIds(copied))
    world.sourceUnits.set(tenant.businessUnitId, tenant.unit(withIds(current), 2))
    const replies = [await tenant.create(body), await tenant.authorize('visa', body)]
    expect(replies.map((reply) => [reply.status, reply.body.payment_orchestrator_id])).toEqual([
      [201, id],
      [201, id],
    ])
  })

  test('a completion too, and ten that read it at once share two reads', async () => {
    const tenant = world.tenant()
    const id = tenant.paymentOrchestratorId
    const created = await Promise.all(Array.from({ length: 10 }, () => tenant.create()))
    await tenant.storeUnit({ orchestrators: [{ id, status: 'inactive' }] })
    world.sourceUnits.set(tenant.businessUnitId, tenant.unit({ orchestrators: [{ id }] }, 2))
    const before = world.sourceCalls()
    const { complete } = tenant.through(
      createApp({ ...world.deps, units: readAtOnce(world.deps.units, created.length) }),
    )
    const replies = await Promise.all(created.map(({ body }) => complete(body.id)))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect(world.sourceCalls() - before).toBe(2)
  })

  test('business-unit decides where it rejects the payment too', async () => {
    const tenant = world.tenant()
    await tenant.storeUnit({ orchestrators: [] })
    world.sourceUnits.set(tenant.businessUnitId, tenant.unit({ orchestrators: [{ status: 'inactive' }] }, 2))
    expect((await tenant.create()).body.detail).toContain('is inactive')
  })
})

describe('while no events arrive, business-unit decides on what the copy accepts:', () => {
  const withoutBroker = (tenant: TestTenant) =>
    tenant.through(createApp({ ...world.deps, brokerCheck: async () => 'no connection to the broker' }))

  test.each([
    ['a deleted business unit', { unit: { status: 'deleted' as const, version: 2 } }, 409, 'business_unit_deleted'],
    ['an inactive payment orchestrator', { orchestrators: 'inactive' }, 422, 'payment_orchestrator_unusable'],
    ['a deleted payment orchestrator', { orchestrators: 'deleted' }, 422, 'payment_orchestrator_unusable'],
  ] as const)('%s takes no payment', async (_case, change, status, code) => {
    const tenant = world.tenant()
    const id = tenant.paymentOrchestratorId
    const open = (await tenant.create()).body
    const changed =
      'unit' in change
        ? { ...change, orchestrators: [{ id }] }
        : { orchestrators: [{ id, status: change.orchestrators }] }
    world.sourceUnits.set(tenant.businessUnitId, tenant.unit(changed, 2))
    const { create, authorize, complete } = withoutBroker(tenant)
    for (const reply of [await create(), await authorize(), await complete(open.id)]) {
      expect(toProblem(reply)).toEqual([status, code])
    }
  })

  test('the copy decides without a unit in the response', async () => {
    const tenant = world.tenant()
    expect((await withoutBroker(tenant).authorize()).status).toBe(201)
  })
})

test('an authorization needs a payment orchestrator that accepts the payment method', async () => {
  const tenant = world.tenant()
  await tenant.storeUnit({ orchestrators: [{ payment_methods: ['ACH'] }] })
  const card = await tenant.authorize()
  expect(toProblem(card)).toEqual([422, 'payment_orchestrator_unusable'])
  expect(card.body.detail).toContain('does not accept CREDIT_CARD')
  const { id } = (await tenant.create()).body
  expect(toProblem(await tenant.complete(id))).toEqual([422, 'payment_orchestrator_unusable'])
  const payment_details = { payment_method: 'ACH', cc_token: 'tok_sandbox_ach' }
  expect((await tenant.complete(id, 'ach', { payment_details })).body.payment_method).toMatchObject({ brand: 'ach' })
})

describe('after the business unit or its payment orchestrator is deleted', () => {
  test.each([
    ['business unit', { unit: { status: 'deleted' } }, 409, 'business_unit_deleted'],
    ['payment orchestrator', { orchestrators: 'deleted' }, 422, 'payment_orchestrator_unusable'],
    ['inactive payment orchestrator', { orchestrators: 'inactive' }, 422, 'payment_orchestrator_unusable'],
  ] as const)('%s: a completion is refused; capture, void and refund work', async (_case, change, status, code) => {
    const tenant = world.tenant()
    const [created, captured, voided] = await Promise.all([tenant.create(), tenant.authorize(), tenant.authorize()])
    const id = tenant.paymentOrchestratorId
    await tenant.storeUnit(
      'unit' in change
        ? { ...change, orchestrators: [{ id }] }
        : { orchestrators: [{ id, status: change.orchestrators }] },
    )
    expect(toProblem(await tenant.complete(created.body.id))).toEqual([status, code])
    expect((await tenant.capture(captured.body.id)).body.status).toBe('captured')
    expect((await tenant.refund(captured.body.id)).body.status).toBe('refunded')
    expect((await tenant.void(voided.body.id)).body.status).toBe('voided')
    expect((await tenant.void(created.body.id)).body.status).toBe('voided')
  })

  test.each([
    ['business unit', { unit: { status: 'deleted' } }, 'business_unit_deleted'],
    ['payment orchestrator', { orchestrators: [{ status: 'deleted' }] }, 'payment_orchestrator_unusable'],
  ] as const)(
    '%s: an authorization that was not sent is not sent again with the same key',
    async (_case, change, code) => {
      const tenant = world.tenant()
      expect((await tenant.authorize('unreachable', {}, 'key')).status).toBe(502)
      const orchestrators = 'orchestrators' in change ? change.orchestrators : [{}]
      const id = tenant.paymentOrchestratorId
      await tenant.storeUnit({ ...change, orchestrators: orchestrators.map((one) => ({ id, ...one })) })
      expect((await tenant.authorize('unreachable', {}, 'key')).body.code).toBe(code)
      expect(await tenant.recorded()).toHaveLength(1)
    },
  )
})
