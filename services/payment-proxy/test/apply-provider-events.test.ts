import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import { declined, type ReportingWorld, startReportingWorld, succeeded } from './reporting.ts'
import { applyAll } from './resume-all.ts'
import { heldProvider } from './world.ts'

let world: ReportingWorld
beforeAll(async () => {
  world = await startReportingWorld()
})
afterAll(() => world.stop())

const hourMs = 60 * 60 * 1_000
const applied = [{ attempts: 1, is_applied: true, is_due: false }]

describe('applyProviderEvents', () => {
  test.each([
    ['succeeded', succeeded, 'authorized', 'authorize'],
    ['declined', declined, 'failed', 'authorize.failed'],
  ])('%s ends an unknown operation', async (_kind, outcome, status, event) => {
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, outcome })
    await world.applyProviderEvents()
    expect((await tenant.read(id)).body).toMatchObject({ status, pending_operation: null })
    expect(await tenant.eventTypes()).toEqual(['create', event])
  })

  test('an event without an outcome makes the sync of its operation due', async () => {
    const { tenant, id } = await world.authorized('pending')
    const operationId = (await tenant.read(id)).body.operations[0].id as string
    const isResolved = async () => {
      await world.report(tenant, { operationId, outcome: { kind: 'changed' } })
      await world.applyProviderEvents()
      await world.resumeOpen()
      return (await tenant.read(id)).body.pending_operation === null
    }
    expect([await isResolved(), await isResolved()]).toEqual([false, true])
    expect(await world.inbox(tenant)).toEqual([...applied, ...applied])
    const { operations } = (await tenant.read(id)).body
    await world.report(tenant, { operationId, outcome: { kind: 'changed' } })
    await world.applyProviderEvents()
    await world.resumeOpen()
    expect((await tenant.read(id)).body.operations).toEqual(operations)
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  })

  test('captures after an authorization with capture', async () => {
    const { tenant, id, operationId } = await world.unknownAuthorization({ capture: true })
    await world.report(tenant, { operationId, outcome: succeeded })
    await world.applyProviderEvents()
    const { operations } = (await tenant.read(id)).body
    expect(operations).toMatchObject([{ state: 'succeeded' }, { type: 'capture', stage: 'capture' }])
    expect(operations[1].state).not.toBe('in_progress')
  })

  test('another amount leaves the operation unknown', async () => {
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, outcome: { ...succeeded, amount: 9_999 } })
    await world.applyProviderEvents()
    expect((await tenant.read(id)).body.pending_operation.state).toBe('unknown')
    expect(await world.inbox(tenant)).toEqual(applied)
  })

  test('an outcome before the response of the provider decides, and the request returns it', async () => {
    const tenant = world.tenant()
    const provider = heldProvider(world.reportingDeps.providerCalls)
    const running = tenant
      .through(createApp({ ...world.reportingDeps, providerCalls: provider }))
      .authorize('visa')
      .then((reply) => reply)
    await provider.reached
    const [{ id, operations }] = (await tenant.list()).body.data
    await world.report(tenant, { operationId: operations[0].id, outcome: succeeded })
    await world.applyProviderEvents()
    expect((await tenant.read(id)).body.status).toBe('authorized')
    provider.respond()
    expect([(await running).status, (await running).body.status]).toEqual([201, 'authorized'])
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  })

  test('an event without an outcome leaves an operation to the process that executes it', async () => {
    const tenant = world.tenant()
    const provider = heldProvider(world.reportingDeps.providerCalls)
    const app = createApp({ ...world.reportingDeps, providerCalls: provider })
    const running = tenant
      .through(app)
      .authorize('visa')
      .then((reply) => reply)
    await provider.reached
    const [{ id, operations }] = (await tenant.list()).body.data
    await world.report(tenant, { operationId: operations[0].id, outcome: { kind: 'changed' } })
    await world.applyProviderEvents()
    await world.resumeOpen()
    expect((await tenant.read(id)).body.operations).toMatchObject([{ state: 'in_progress', attempt_count: 1 }])
    provider.respond()
    expect((await running).status).toBe(201)
  })

  test('reversed order and repetitions: a final outcome stays, and a failed refund is reversed once', async () => {
    const { tenant, id } = await world.captured()
    const refund = (await tenant.refund(id)).body.operations.at(-1)
    const events = [
      { outcome: declined },
      { outcome: { ...succeeded, providerReference: refund.provider_reference } },
      { outcome: { kind: 'pending' } },
      { outcome: declined },
    ]
    for (const event of events) await world.report(tenant, { operationId: refund.id, ...event })
    while ((await world.applyProviderEvents()) > 0);
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_refunded: 0 })
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize.and.capture', 'refund', 'refund.failed'])
    expect(await world.inbox(tenant)).toEqual([...applied, ...applied, ...applied, ...applied])
  })

  test.each([
    ['an outcome', succeeded],
    ['a part of an outcome', { kind: 'changed', seen: succeeded }],
  ])('%s that contradicts the recorded one changes nothing, and is logged', async (_what, contradiction) => {
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, outcome: declined })
    await world.report(tenant, { operationId, outcome: declined })
    await world.report(tenant, { operationId, outcome: contradiction })
    const warnings: unknown[] = []
    const warn = (fields: unknown) => warnings.push(fields)
    const log = Object.assign(Object.create(world.deps.log), { warn })
    while ((await applyAll({ ...world.deps, log })) > 0);
    expect((await tenant.read(id)).body.status).toBe('failed')
    expect(warnings).toMatchObject([{ operation_id: operationId, state: 'declined', outcome: 'succeeded' }])
  })

  test('keeps the reference of the provider when a later report has none', async () => {
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, { operationId, providerReference: 'ch_1', outcome: { kind: 'pending' } })
    await world.report(tenant, { operationId, outcome: declined })
    while ((await world.applyProviderEvents()) > 0);
    expect((await tenant.read(id)).body.operations).toMatchObject([{ state: 'declined', provider_reference: 'ch_1' }])
  })

  test('finds an operation by the reference of the provider once that is known, for an hour', async () => {
    const { tenant, id } = await world.captured()
    const refund = (await tenant.refund(id)).body.operations.at(-1)
    const { provider_reference: reference } = refund
    const setReference = (value: string | null) =>
      world.rows('UPDATE operations SET provider_reference = $2 WHERE id = $1::uuid', refund.id, value)
    await setReference(null)
    await world.report(tenant, { providerReference: reference, outcome: declined })
    await world.report(tenant, { providerReference: 'of nothing', outcome: declined })
    await world.applyProviderEvents()
    const waiting = { attempts: 1, is_applied: false, is_due: true }
    expect(await world.inbox(tenant)).toEqual([waiting, waiting])
    await setReference(reference)
    world.advanceClock(11_000)
    await world.applyProviderEvents()
    expect((await tenant.read(id)).body.status).toBe('captured')
    world.advanceClock(hourMs)
    await world.applyProviderEvents()
    expect(await world.inbox(tenant)).toEqual([
      { attempts: 2, is_applied: true, is_due: false },
      { attempts: 3, is_applied: false, is_due: false },
    ])
  })

  test('an event about an unknown operation changes no other operation with the same reference', async () => {
    const { tenant, id } = await world.captured()
    const refund = (await tenant.refund(id)).body.operations.at(-1)
    const { provider_reference: providerReference } = refund
    await world.report(tenant, { operationId: randomUUID(), providerReference, outcome: declined })
    await world.applyProviderEvents()
    expect((await tenant.read(id)).body).toMatchObject({ status: 'refunded', amount_refunded: 10_000 })
    expect(await world.inbox(tenant)).toMatchObject([{ is_applied: false, is_due: true }])
  })

  test('a payment orchestrator reports about its own operations only', async () => {
    const { tenant, operationId, id } = await world.unknownAuthorization()
    const other = world.tenant()
    await other.list()
    await world.report(other, { operationId, outcome: succeeded })
    await world.applyProviderEvents()
    expect((await tenant.read(id)).body.pending_operation.state).toBe('unknown')
    expect(await world.inbox(other)).toMatchObject([{ is_applied: false, is_due: true }])
  })
})
