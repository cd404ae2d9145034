import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { recordedTenantHeader } from '@payments/contracts/services/audit/contract'
import { buildEvent, declined, type ReportingWorld, startReportingWorld, succeeded } from './reporting.ts'
import { statuses } from './world.ts'

let world: ReportingWorld
beforeAll(async () => {
  world = await startReportingWorld()
})
afterAll(() => world.stop())

const applied = [{ attempts: 1, is_applied: true, is_due: false }]

describe('receiveProviderWebhook', () => {
  test('responds 404 to an unknown payment orchestrator and 400 to a wrong signature, and stores nothing', async () => {
    const tenant = world.tenant()
    await tenant.list()
    const unknown = await world.post(randomUUID(), buildEvent({ outcome: declined }))
    expect([unknown.status, unknown.body.code]).toEqual([404, 'payment_orchestrator_not_found'])
    const forged = await world.post(tenant.paymentOrchestratorId, buildEvent({ outcome: declined }), 'forged')
    expect([forged.status, forged.body.code]).toEqual([400, 'invalid_provider_webhook'])
    const withNumber = buildEvent({ outcome: declined, eventId: '4111111111111111' })
    const pan = await world.post(tenant.paymentOrchestratorId, withNumber)
    expect([pan.status, pan.body.code]).toEqual([400, 'invalid_provider_webhook'])
    expect(await world.inbox(tenant)).toEqual([])
  })

  test('names the tenant for its audit once the signature is valid, and not before', async () => {
    const tenant = world.tenant()
    await tenant.list()
    const signed = await world.post(tenant.paymentOrchestratorId, { ignored: 'evt_1' })
    const forged = await world.post(tenant.paymentOrchestratorId, { ignored: 'evt_1' }, 'forged')
    const unknown = await world.post(randomUUID(), { ignored: 'evt_1' })
    expect([signed, forged, unknown].map(({ headers }) => headers[recordedTenantHeader])).toEqual([
      tenant.id,
      undefined,
      undefined,
    ])
  })

  test('takes an event with the form of a card number in its texts, and stores none', async () => {
    const pan = '4111111111111111'
    const { tenant, id, operationId } = await world.unknownAuthorization()
    await world.report(tenant, {
      operationId,
      outcome: { ...succeeded, providerReference: pan },
      providerReference: pan,
    })
    await world.applyProviderEvents()
    const { body } = await tenant.read(id)
    expect([body.status, body.operations[0].provider_reference]).toEqual(['authorized', null])
    const rows = await world.rows(
      'SELECT to_jsonb(e)::text AS row FROM provider_events e WHERE tenant_id = $1::uuid',
      tenant.id,
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(pan)
  })

  test('responds 200 to an event without meaning, and stores nothing', async () => {
    const tenant = world.tenant()
    await tenant.list()
    const reply = await world.post(tenant.paymentOrchestratorId, { ignored: 'evt_1' })
    expect(reply.status).toBe(200)
    expect(await world.inbox(tenant)).toEqual([])
  })

  test('stores ten concurrent repetitions of an event once', async () => {
    const { tenant, id, operationId } = await world.unknownAuthorization()
    const event = buildEvent({ operationId, outcome: succeeded })
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => world.post(tenant.paymentOrchestratorId, event).then((reply) => reply)),
    )
    expect(statuses(replies)).toEqual({ 200: 10 })
    await Promise.all([1, 2, 3].map(() => world.applyProviderEvents()))
    expect(await world.inbox(tenant)).toEqual(applied)
    expect((await tenant.read(id)).body.status).toBe('authorized')
    expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
  })
})
