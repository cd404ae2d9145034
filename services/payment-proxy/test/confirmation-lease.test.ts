import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createApp } from '../src/app.ts'
import type { Connector } from '../src/connectors/connector.ts'
import { openBank, return_url, waitingPayment } from './bank.ts'
import { type ReportingWorld, startReportingWorld } from './reporting.ts'
import { applyAll, resumeAll } from './resume-all.ts'
import { heldProvider } from './world.ts'

/** A sync and a cancellation of a payment that waits for the payer: either could change what the other one reads. */
let world: ReportingWorld
beforeAll(async () => {
  world = await startReportingWorld()
})
afterAll(() => world.stop())

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

describe('a payment that waits for the payer', () => {
  test('is not synced while a cancellation is at the provider, and keeps its page', async () => {
    const { tenant, id, bank } = await waitingPayment(world)
    const held = heldProvider(world.deps.providerCalls)
    const voiding = tenant.through(createApp({ ...world.deps, providerCalls: held })).void(id)
    await held.reached
    const meanwhile = await tenant.through(createApp({ ...world.deps, providerCalls: held })).sync(id)
    expect([meanwhile.status, meanwhile.body.pending_operation.state]).toEqual([202, 'action_required'])
    expect(meanwhile.body.pending_operation.action.url).toContain('/pay/sandbox-bank/')
    expect((await tenant.void(id)).body.code).toBe('operation_in_progress')
    expect(held.requests.map(({ instruction }) => instruction.kind)).toEqual(['cancel'])
    held.respond()
    expect((await voiding).body.status).toBe('voided')
    expect(await bank.decide('confirm')).toEqual([410, null])
  })

  test('is not canceled while a sync is at the provider', async () => {
    const { tenant, id } = await waitingPayment(world)
    const held = heldProvider(world.deps.providerCalls)
    const syncing = tenant.through(createApp({ ...world.deps, providerCalls: held })).sync(id)
    await held.reached
    const rejected = await tenant.void(id)
    expect([rejected.status, rejected.body.code]).toEqual([409, 'operation_in_progress'])
    held.respond()
    expect((await syncing).status).toBe(202)
    expect((await tenant.void(id)).body.status).toBe('voided')
  })

  test('has the webhook that arrived during a sync applied after it', async () => {
    const { tenant, id, reply } = await waitingPayment(world)
    const operationId = reply.body.operations[0].id as string
    const held = heldProvider(world.deps.providerCalls)
    const syncing = tenant.through(createApp({ ...world.deps, providerCalls: held })).sync(id)
    await held.reached
    await openBank(world, reply.body.pending_operation.action.url).decide('confirm')
    await world.rows('UPDATE provider_events SET due_at = NULL WHERE tenant_id = $1::uuid', tenant.id)
    await world.report(tenant, { operationId, outcome: { kind: 'changed' } })
    await applyAll(world.reportingDeps)
    held.respond()
    await syncing
    expect((await tenant.read(id)).body.status).toBe('pending')
    world.advanceClock(2_000)
    await applyAll(world.reportingDeps)
    await world.resumeOpen()
    expect((await tenant.read(id)).body.status).toBe('authorized')
  })

  test('is not changed by a webhook without an end about a capture', async () => {
    const { tenant, id } = await world.authorized('capture_timeout_applied')
    await tenant.capture(id)
    const operationId = (await tenant.read(id)).body.operations.at(-1).id as string
    const action = { type: 'redirect', url: 'https://bank.example.com/', expires_at: new Date().toISOString() }
    await world.report(tenant, { operationId, outcome: { kind: 'action_required', action } })
    await applyAll(world.reportingDeps)
    expect((await tenant.read(id)).body.pending_operation.state).toBe('unknown')
    await world.resumeOpen()
    expect((await tenant.read(id)).body.status).toBe('captured')
  })

  test('is not synced for a webhook about its page, and is for one about another page', async () => {
    const { tenant, id, reply } = await waitingPayment(world)
    const { action } = reply.body.pending_operation
    const operationId = reply.body.operations[0].id as string
    const attemptsAfter = async (url: string) => {
      const seen = { kind: 'action_required', action: { ...action, url } }
      await world.report(tenant, { operationId, outcome: { kind: 'changed', seen } })
      await applyAll(world.reportingDeps)
      await world.resumeOpen()
      return (await tenant.read(id)).body.operations[0].attempt_count
    }
    expect(await attemptsAfter(action.url)).toBe(1)
    expect(await attemptsAfter('https://bank.example.com/other')).toBe(2)
  })

  test('keeps its page when a webhook reports it pending during a cancellation', async () => {
    const { tenant, id, reply } = await waitingPayment(world)
    const held = heldProvider(world.deps.providerCalls)
    const voiding = tenant.through(createApp({ ...world.deps, providerCalls: held })).void(id)
    await held.reached
    await world.report(tenant, { operationId: reply.body.operations[0].id, outcome: { kind: 'pending' } })
    await applyAll(world.reportingDeps)
    expect((await tenant.read(id)).body.pending_operation.state).toBe('action_required')
    held.respond()
    expect((await voiding).body.status).toBe('voided')
  })

  test('is canceled again within seconds when the first cancellation at the end of its time has no response', async () => {
    const { tenant, id } = await waitingPayment(world)
    await world.rows('UPDATE operations SET attempt_count = 20 WHERE transaction_id = $1::uuid', id)
    world.advanceClock(30 * minuteMs)
    const lost = { ...world.sandbox, cancel: () => Promise.reject(new Error('no response')) }
    await resumeAll({ ...world.deps, providerCalls: world.createTestProvider(lost) })
    expect((await tenant.read(id)).body.pending_operation.state).toBe('unknown')
    world.advanceClock(11_000)
    await world.resumeOpen()
    expect((await tenant.read(id)).body.last_error.decline_code).toBe('authentication_expired')
  })

  test('whose provider does not cancel it is unknown after its time, and a person can end it after a day', async () => {
    const { tenant, id, reply } = await waitingPayment(world)
    const { action } = reply.body.pending_operation
    const stubborn: Connector = {
      ...world.sandbox,
      cancel: async () => ({ kind: 'action_required', providerReference: 'sbx', action }),
      sync: async () => ({ kind: 'action_required', providerReference: 'sbx', action }),
    }
    const through = tenant.through(createApp({ ...world.deps, providerCalls: world.createTestProvider(stubborn) }))
    world.advanceClock(31 * minuteMs)
    expect((await through.sync(id)).body.pending_operation.state).toBe('unknown')
    world.advanceClock(dayMs)
    expect((await through.sync(id)).body.pending_operation.state).toBe('needs_review')
    const path = `/v1/payment-proxy/transactions/${id}/operations/${reply.body.operations[0].id}/resolve`
    const resolved = await tenant.send('post', path, { outcome: 'declined', note: 'Never confirmed' })
    expect([resolved.status, resolved.body.status]).toEqual([200, 'failed'])
  })
})

test('a repeated authorization with capture has its own response after a void, not the response of the void', async () => {
  const tenant = world.tenant()
  const body = { return_url, capture: true }
  const first = (await tenant.authorize('challenge', body, 'k')).body
  await openBank(world, first.pending_operation.action.url).decide('confirm')
  expect((await tenant.void(first.id)).body.status).toBe('voided')
  const again = await tenant.authorize('challenge', body, 'k')
  expect([again.status, again.body.status, again.body.amount_captured]).toEqual([201, 'voided', 0])
})
