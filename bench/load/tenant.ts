/** A tenant of a bench, as an operator creates it, with the credential of its administrator. */
import type { Platform } from '@payments/testing/platform/local-stack'
import { sendOnce } from './request.ts'

export interface Tenant {
  readonly tenantId: string
  readonly unitId: string
  readonly keyId: string
  readonly credential: { readonly bearer: string; readonly tenantId: string }
  /** The ids of its roles by their names. */
  readonly roles: Readonly<Record<'admin' | 'viewer', string>>
}

/** `more`: further arguments of payctl. */
export async function createTenant({ payctl }: Pick<Platform, 'payctl'>, ...more: string[]): Promise<Tenant> {
  const created = await payctl('tenant', 'create', '--name', 'Bench', '--json', '--show-key', ...more)
  if (created.code !== 0) throw new Error(`payctl ended with ${created.code}: ${created.output}`)
  const { tenant_id: tenantId, business_unit_id: unitId, api_key: key, roles } = JSON.parse(created.stdout)
  const requireRole = (name: string): string => {
    const role = (roles as { id: string; name: string }[]).find((one) => one.name === name)
    if (role === undefined) throw new Error(`the tenant has no role ${name}`)
    return role.id
  }
  return {
    tenantId,
    unitId,
    keyId: key.id,
    credential: { bearer: key.value, tenantId },
    roles: { admin: requireRole('admin'), viewer: requireRole('viewer') },
  }
}

/** Creates a subscription, for all events without `eventTypes`, and returns its id. */
export async function subscribe(
  gatewayUrl: string,
  tenant: Tenant,
  destinationUrl: string,
  eventTypes: readonly string[] | null = null,
): Promise<string> {
  const { unitId, credential } = tenant
  const path = `/v1/webhooks/${unitId}/webhooks`
  const wanted = { destination_url: destinationUrl, event_types: eventTypes }
  const { body } = await sendOnce(gatewayUrl, { method: 'POST', path, body: wanted, ...credential }, 201)
  return JSON.parse(body).id
}

/** The load of authorizations by the sandbox. */
export const authorizationLoad = (gatewayUrl: string, { unitId, credential }: Tenant) => ({
  gatewayUrl,
  path: '/v1/payment-proxy/transactions/authorize',
  credential,
  body: {
    business_unit_id: unitId,
    currency: 'EUR',
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' },
  },
})
