import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { FoundUnit } from '@payments/contracts/services/business-unit/contract'
import { createEvent, orchestratorEvent, startWorld, unitEvent, type World } from './copies-world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
afterEach(() => world.respondThrough((found) => Promise.resolve(found)))

/** The promise of one response, and functions that show and release it. */
function heldResponse() {
  let arrived = () => {}
  let release = () => {}
  const isHeld = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let isFirst = true
  const through = async (found: FoundUnit | null) => {
    if (!isFirst) return found
    isFirst = false
    arrived()
    await released
    return found
  }
  return { through, isHeld, release }
}

describe('current', () => {
  test('returns the unit as business-unit has it now, and stores it', async () => {
    const { unit, id, context } = world.give()
    await world.copies.find(context, id)
    const name = 'Renamed'
    const { tenant_id: tenantId, business_unit: before, payment_orchestrators: paymentOrchestrators } = unit
    world.respondThrough(async () => ({ ...unit, business_unit: { ...before, name, version: 2 } }))
    const current = await world.copies.current(context, id)
    expect(current).toMatchObject({ tenantId, businessUnit: { name }, paymentOrchestrators })
    expect(await world.isolated.find(context, id)).toEqual(current)
  })

  test('callers during a read share one that begins after it', async () => {
    const { id, context } = world.give()
    await world.copies.find(context, id)
    const held = heldResponse()
    world.respondThrough(held.through)
    const before = world.calls()
    const reads = [world.copies.current(context, id)]
    await held.isHeld
    for (let more = 0; more < 9; more += 1) reads.push(world.copies.current(context, id))
    held.release()
    await Promise.all(reads)
    expect(world.calls() - before).toBe(2)
  })

  test('reads at most four units of a tenant at a time, and those of other tenants meanwhile', async () => {
    const [tenantId, traceId] = [randomUUID(), randomUUID()]
    const ids = Array.from({ length: 5 }, () => world.give({ tenantId }).id)
    const other = world.give()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    world.respondThrough(async (found) => {
      if (found?.tenant_id === tenantId) await released
      return found
    })
    const reads = ids.slice(0, 4).map((id) => world.copies.current({ tenantId, traceId }, id))
    const fifth = world.copies.current({ tenantId, traceId }, ids[4] ?? '')
    await expect(fifth).rejects.toMatchObject({ code: 'service_unavailable' })
    expect((await world.copies.current(other.context, other.id)).businessUnit.id).toBe(other.id)
    release()
    expect((await Promise.all(reads)).map(({ businessUnit }) => businessUnit.id)).toEqual(ids.slice(0, 4))
  })

  test('without business-unit it throws service_unavailable, and the copy stays', async () => {
    const { id, context } = world.give()
    const copy = await world.copies.find(context, id)
    await expect(world.isolated.current(context, id)).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(await world.isolated.find(context, id)).toEqual(copy)
  })
})

describe('find', () => {
  test('reads a unit without a copy from business-unit once; later reads do not need business-unit', async () => {
    const { unit, id, context } = world.give()
    const before = world.calls()
    const found = await world.copies.find(context, id)
    expect(found).toEqual({
      tenantId: context.tenantId,
      businessUnit: unit.business_unit,
      paymentOrchestrators: unit.payment_orchestrators,
    })
    expect(await world.others.find(context, id)).toEqual(found)
    expect(await world.isolated.find(context, id)).toEqual(found)
    expect(world.calls() - before).toBe(1)
  })

  test('an unknown unit is not found, costs one call each time, and leaves no row', async () => {
    const context = { tenantId: randomUUID(), traceId: randomUUID() }
    const id = randomUUID()
    const before = world.calls()
    for (let time = 0; time < 2; time += 1) {
      await expect(world.copies.find(context, id)).rejects.toMatchObject({ code: 'business_unit_not_found' })
    }
    expect(world.calls() - before).toBe(2)
    expect(await world.rows(id)).toEqual([])
  })

  test('a unit of another tenant is not found, with and without a copy of its own tenant', async () => {
    const { id, context } = world.give()
    const stranger = { tenantId: randomUUID(), traceId: randomUUID() }
    await expect(world.copies.find(stranger, id)).rejects.toMatchObject({ code: 'business_unit_not_found' })
    expect(await world.rows(id)).toEqual([])
    await world.copies.find(context, id)
    await expect(world.copies.find(stranger, id)).rejects.toMatchObject({ code: 'business_unit_not_found' })
    expect(await world.rows(id)).toMatchObject([{ tenantId: context.tenantId }])
  })

  test('without a copy, an unreachable business-unit is service_unavailable and leaves no row', async () => {
    const { id, context } = world.give()
    await expect(world.isolated.find(context, id)).rejects.toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(await world.rows(id)).toEqual([])
  })

  test('a unit that business-unit sends for another tenant is not stored', async () => {
    const { id, context } = world.give()
    const { unit } = world.give()
    world.respondThrough(() => Promise.resolve(unit))
    await expect(world.copies.find(context, id)).rejects.toThrow('business-unit sent unit')
    expect([await world.rows(id), await world.rows(unit.business_unit.id)]).toEqual([[], []])
  })

  test('returns a deleted unit; requireActive throws business_unit_deleted', async () => {
    const deleted = world.give({ status: 'deleted' })
    expect((await world.copies.find(deleted.context, deleted.id)).businessUnit.status).toBe('deleted')
    const rejected = world.copies.requireActive(deleted.context, deleted.id)
    await expect(rejected).rejects.toMatchObject({ code: 'business_unit_deleted', status: 409 })
    const active = world.give()
    expect((await world.copies.requireActive(active.context, active.id)).businessUnit.id).toBe(active.id)
  })

  test('ten processes that read a unit at once store one copy', async () => {
    const { unit, id, context } = world.give()
    const readers = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? world.copies : world.others))
    const found = await Promise.all(readers.map((copies) => copies.find(context, id)))
    expect(new Set(found.map((copy) => JSON.stringify(copy.businessUnit.id)))).toEqual(new Set([JSON.stringify(id)]))
    expect(await world.rows(id)).toMatchObject([{ businessUnit: unit.business_unit }])
  })
})

describe('an event', () => {
  test('changes the copy of its unit without a call; repeated or late, it changes nothing', async () => {
    const { unit, id, context } = world.give()
    await world.copies.find(context, id)
    const [second, third] = [
      unitEvent(unit, { name: 'Second', version: 2 }),
      unitEvent(unit, { status: 'deleted', version: 3 }),
    ]
    for (const event of [third, second, third]) await world.isolated.apply(event)
    expect((await world.isolated.find(context, id)).businessUnit).toEqual(third.payload['business_unit'])
  })

  test('adds a payment orchestrator to the copy, or replaces an earlier version of it', async () => {
    const { unit, id, context } = world.give()
    await world.copies.find(context, id)
    const added = orchestratorEvent(unit, { id: randomUUID(), name: 'Added', is_default: false })
    const later = orchestratorEvent(unit, { status: 'inactive', version: 3 })
    const earlier = orchestratorEvent(unit, { status: 'active', version: 2 })
    for (const event of [added, later, earlier]) await world.isolated.apply(event)
    const { businessUnit, paymentOrchestrators } = await world.isolated.find(context, id)
    expect(businessUnit).toEqual(unit.business_unit)
    expect(paymentOrchestrators).toEqual([later, added].map(({ payload }) => payload['payment_orchestrator']))
  })

  test('of a unit without a copy stores the whole unit', async () => {
    const { unit, id, context } = world.give({ version: 2, orchestrators: [{}, { name: 'Second' }] })
    await world.copies.apply(orchestratorEvent(unit, {}))
    expect(await world.isolated.find(context, id)).toMatchObject({
      businessUnit: unit.business_unit,
      paymentOrchestrators: unit.payment_orchestrators,
    })
  })

  test('of a unit without a copy fails with service_unavailable while business-unit is unreachable', async () => {
    const { unit, id } = world.give()
    const applied = world.isolated.apply(unitEvent(unit, { version: 2 }))
    await expect(applied).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(await world.rows(id)).toEqual([])
  })

  test('is not undone by a read that began before it', async () => {
    const { unit, id, context } = world.give()
    const { through, isHeld, release } = heldResponse()
    world.respondThrough(through)
    const reading = world.copies.find(context, id)
    await isHeld
    world.give({ tenantId: context.tenantId, businessUnitId: id, status: 'deleted', version: 2 })
    await world.others.apply(unitEvent(unit, { status: 'deleted', version: 2 }))
    release()
    expect((await reading).businessUnit).toMatchObject({ status: 'deleted', version: 2 })
    expect(await world.rows(id)).toMatchObject([{ businessUnit: { status: 'deleted', version: 2 } }])
  })

  test('of ten at once in two processes, each record has its highest version', async () => {
    const { unit, id, context } = world.give()
    await world.copies.find(context, id)
    const added = Array.from({ length: 10 }, () => randomUUID())
    const events = added.flatMap((orchestratorId, index) => [
      unitEvent(unit, { version: index + 2 }),
      orchestratorEvent(unit, { id: orchestratorId }),
    ])
    await Promise.all(events.map((event, index) => (index % 3 === 0 ? world.others : world.copies).apply(event)))
    const { businessUnit, paymentOrchestrators } = await world.isolated.find(context, id)
    expect(businessUnit.version).toBe(11)
    expect(paymentOrchestrators.map((one) => one.id).sort()).toEqual(
      [...added, unit.payment_orchestrators[0]?.id].sort(),
    )
  })

  test.each(['business-unit.business-units.update', 'business.unit.payment.orchestrator.update', 'rbac.roles.create'])(
    '%s with another payload is rejected and changes nothing',
    async (type) => {
      const { unit, id, context } = world.give()
      await world.copies.find(context, id)
      const before = await world.rows(id)
      const applied = world.copies.apply(
        createEvent(unit, type, { business_unit: { id }, payment_orchestrator: { id } }),
      )
      await expect(applied).rejects.toMatchObject({ code: 'invalid_request' })
      expect(await world.rows(id)).toEqual(before)
    },
  )
})
