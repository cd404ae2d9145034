import { randomUUID } from 'node:crypto'
import { createApp } from '../src/app.ts'
import type { Connector, ReportedEvent } from '../src/connectors/connector.ts'
import type { ProviderOptions } from '../src/connectors/provider-calls.ts'
import { startWorld, type TestTenant } from './world.ts'

/** The sandbox as a provider that reports by webhooks, with a constant signature. */
const signature = 'signed-by-the-provider'
const parseWebhook: NonNullable<Connector['parseWebhook']> = (_account, { headers, body }) => {
  if (headers['webhook-signature'] !== signature) return { kind: 'rejected', reason: 'the signature is not valid' }
  const event = JSON.parse(body.toString()) as ReportedEvent | { ignored: string }
  return 'ignored' in event ? { kind: 'ignored', eventId: event.ignored } : { kind: 'event', event }
}

export const declined = {
  kind: 'declined',
  declineCode: 'card_declined',
  retryable: false,
  providerCode: null,
} as const
export const succeeded = { kind: 'succeeded', amount: 10_000, currency: 'EUR' } as const

type Report = Partial<Omit<ReportedEvent, 'outcome'>> & { outcome: object }

export function buildEvent({ outcome, ...given }: Report) {
  const { providerReference = null } = given
  const ids = { eventId: randomUUID(), operationId: null, ...given, providerReference }
  return { ...ids, outcome: { providerReference, ...outcome } }
}

/** A world whose sandbox sends webhooks. */
export async function startReportingWorld() {
  const world = await startWorld()
  const reportingProvider = (options: Partial<ProviderOptions> = {}) =>
    world.createTestProvider({ ...world.sandbox, parseWebhook }, options)
  const deps = { ...world.deps, providerCalls: reportingProvider() }
  const reportingApp = createApp(deps)
  const post = (orchestratorId: string, body: object | string, sign = signature, app = reportingApp) => {
    const path = `/v1/payment-proxy/gateway-webhooks/${orchestratorId}`
    const headers = { 'Webhook-Signature': sign, 'Content-Type': 'application/json' }
    return world.createCallers(app).asAnonymous().send('post', path, body, headers)
  }
  return {
    ...world,
    reportingDeps: deps,
    /** The service with another provider that reports. */
    reportingApp: (options: Partial<ProviderOptions>) =>
      createApp({ ...deps, providerCalls: reportingProvider(options) }),
    post,
    /** The provider reports, and the service stores it. */
    report: async (tenant: TestTenant, given: Report) => {
      const { status, body } = await post(tenant.paymentOrchestratorId, buildEvent(given))
      if (status !== 200) throw new Error(`the report was rejected: ${JSON.stringify(body)}`)
    },
    /** The events in the inbox of the tenant, in the order of receipt. */
    inbox: (tenant: TestTenant) =>
      world.rows<{ attempts: number; is_applied: boolean; is_due: boolean }>(
        `SELECT attempt_count AS attempts, applied_at IS NOT NULL AS is_applied, due_at IS NOT NULL AS is_due
         FROM provider_events WHERE tenant_id = $1::uuid ORDER BY id`,
        tenant.id,
      ),
    /** An authorization without a response. */
    unknownAuthorization: async (body: object = {}) => {
      const { tenant, id } = await world.authorized('unknown_forever', body)
      return { tenant, id, operationId: (await tenant.read(id)).body.operations[0].id as string }
    },
  }
}

export type ReportingWorld = Awaited<ReturnType<typeof startReportingWorld>>
