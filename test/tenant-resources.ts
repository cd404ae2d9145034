import { randomUUID } from 'node:crypto'
import { changeTopics } from '@payments/contracts/services/webhooks/changes'
import type { Platform } from '@payments/testing/platform/local-stack'
import { joinTenant } from './people.ts'
import type { Onboarded } from './tenant.ts'

/** Sends a request to the gateway and returns the response, byte for byte. */
export type SendRequest = (method: string, path: string, body?: unknown) => Promise<Reply>

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly traceId: string
}

export function senderFor(platform: Platform, credential: string, tenantId: string, traceIds?: string[]): SendRequest {
  return async (method, path, body) => {
    const traceId = randomUUID()
    traceIds?.push(traceId)
    const response = await fetch(platform.gatewayUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${credential}`,
        'trace-id': traceId,
        'tenant-id': tenantId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    return { status: response.status, headers: response.headers, text: await response.text(), traceId }
  }
}

/**
 * One of each resource of a tenant, by the name of the parameter that takes its id. test/isolation.test.ts fails for
 * an endpoint with another parameter: add the resource here, created as a tenant creates it.
 */
export type Resources = Readonly<Record<string, string>>

/** Columns that a process writes some time after the request: uses of keys, times of attempts, counts of changes. */
export const columnsWrittenLater = ['last_used_at', 'last_delivered_at', 'last_failed_at', ...changeTopics]

export async function createResources(
  platform: Platform,
  sendRequest: SendRequest,
  tenant: Onboarded,
  destinationUrl: string,
): Promise<Resources> {
  const unit = tenant.business_unit_id
  const made = async (path: string, body: object): Promise<{ id: string }> => {
    const reply = await sendRequest('POST', path, body)
    if (reply.status !== 201) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`)
    const location = reply.headers.get('location') ?? 'no location'
    const read = await sendRequest('GET', location)
    if (read.status !== 200) throw new Error(`GET ${location}: ${read.status} ${read.text}`)
    return JSON.parse(reply.text)
  }
  const template = await made('/v1/communication/templates', { name: 'Note', communication_type: 'SMS', text: 'Hello' })
  const communication = await sentMessage(sendRequest, unit, template.id)
  const key = await made('/v1/api-key/keys', { name: 'a key' })
  const role = await made('/v1/rbac/roles', { name: `role ${randomUUID()}`, permissions: ['apikey:ReadKey'] })
  const email = `${randomUUID()}@example.com`
  const invitation = await made('/v1/identity/user-invitations', { email, role_ids: [role.id] })
  const joining = { tenantId: tenant.tenant_id, roleIds: [role.id], email: `${randomUUID()}@example.com` }
  const user = await joinTenant(platform, joining)
  const orchestrator = await made(`/v1/business-unit/business-units/${unit}/payment-orchestrators`, {
    name: 'Sandbox',
    payment_gateway: 'sandbox',
    mode: 'test',
  })
  const authInfo = await made('/v1/webhooks/auth-info', {
    name: 'an auth info',
    type: 'basic',
    config: { username: 'payments', password: 'secret' },
  })
  // Before the subscriptions: with more events, the failing one would open its circuit breaker.
  const { id: pending } = await made('/v1/payment-proxy/transactions', unpaid(unit))
  const code = await made('/v1/invite-to-pay/codes', { transaction: unpaid(unit), ...payer })
  await sentInvitation(sendRequest, code.id)
  const subscription = await made(`/v1/webhooks/${unit}/webhooks`, { destination_url: destinationUrl })
  const failing = await made(`/v1/webhooks/${unit}/webhooks`, { destination_url: `${destinationUrl}/failing` })
  const transaction = await made('/v1/payment-proxy/transactions/authorize', payment(unit))
  const operation = await readFirst(sendRequest, `/v1/payment-proxy/transactions/${transaction.id}/operations`)
  const delivery = await readFirst(sendRequest, `/v1/webhooks/${unit}/deliveries?status=delivered`)
  const deadLetter = await readFirst(sendRequest, `/v1/webhooks/dead-letters?subscription_id=${failing.id}`)
  const redrive = await sendRequest('POST', '/v1/webhooks/dead-letters/redrive', { ids: [randomUUID()] })
  const past = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }
  const recovery = await sendRequest('POST', `/v1/webhooks/${unit}/webhooks/${subscription.id}/recover`, past)
  return {
    business_unit_id: unit,
    payment_orchestrator_id: orchestrator.id,
    template_id: template.id,
    communication_id: communication,
    api_key_id: key.id,
    role_id: role.id,
    user_id: user.userId,
    user_invitation_id: invitation.id,
    session_id: user.sessionId,
    bu_webhook_id: subscription.id,
    subscription_id: subscription.id,
    webhook_auth_info_id: authInfo.id,
    transaction_id: transaction.id,
    resource_id: transaction.id,
    pending_transaction_id: pending,
    code_id: code.id,
    operation_id: operation['id'] as string,
    delivery_id: delivery['id'] as string,
    tenant_event_id: delivery['tenant_event_id'] as string,
    dead_letter_id: deadLetter['id'] as string,
    task_id: JSON.parse(redrive.text).task_id,
    recovery_id: JSON.parse(recovery.text).task_id,
    actor_id: tenant.api_key.id,
    trace_id: (await sendRequest('GET', '/v1/api-key/keys')).traceId,
  }
}

export const payment = (unit: string) => ({
  business_unit_id: unit,
  currency: 'EUR',
  amount: 1999,
  payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
})

const unpaid = (unit: string) => ({ business_unit_id: unit, currency: 'EUR', amount: 1999 })
export const payer = { communication_type: 'EMAIL', recipient: 'payer@resources.example' }

/** Waits until the invitation of a code is sent. */
async function sentInvitation(sendRequest: SendRequest, codeId: string): Promise<void> {
  const read = async (path: string) =>
    JSON.parse((await sendRequest('GET', path)).text) as Record<string, string | null>
  await eventually(async () => {
    const { last_sent_at: at, communication_id: id } = await read(`/v1/invite-to-pay/codes/${codeId}`)
    if (at == null || id == null) return undefined
    return (await read(`/v1/communication/communications/${id}`))['status'] === 'sent' ? true : undefined
  }, 'a sent invitation')
}

/** The id of a message, once it is sent. */
async function sentMessage(sendRequest: SendRequest, unit: string, templateId: string): Promise<string> {
  const path = '/v1/communication/communications'
  const reply = await sendRequest('POST', path, textMessage(unit, templateId))
  if (reply.status !== 202) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`)
  const { id } = JSON.parse(reply.text) as { id: string }
  const read = async () => JSON.parse((await sendRequest('GET', `${path}/${id}`)).text) as { status: string }
  await eventually(async () => ((await read()).status === 'sent' ? true : undefined), 'a sent message')
  return id
}

export const textMessage = (unit: string, templateId: string) => ({
  business_unit_id: unit,
  communication_type: 'SMS',
  recipient: '+4930987654',
  template_id: templateId,
})

/** The first of a list, once there is one. */
async function readFirst(sendRequest: SendRequest, path: string): Promise<Record<string, unknown>> {
  return eventually(async () => {
    const { status, text } = await sendRequest('GET', path)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
    return (JSON.parse(text) as { data: Record<string, unknown>[] }).data[0]
  }, `an item of ${path}`)
}

/** The first result that is not undefined, within ten seconds. */
export async function eventually<T>(look: () => Promise<T | undefined>, what: string, timeoutMs = 30_000): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`Within ${timeoutMs} ms there was not ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
