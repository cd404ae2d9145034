/** A tenant of a bench, as an operator creates it, with the credential of its administrator. */
import type { Platform } from '@payments/testing/platform/local-stack'
import { sendUntil } from './request.ts'

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
  const { stdout } = await payctl('tenant', 'create', '--name', 'Bench', '--json', '--show-key', ...more)
  const { tenant_id: tenantId, business_unit_id: unitId, api_key: key, roles } = JSON.parse(stdout)
  const roleIds = roles.map(({ id, name }: { id: string; name: string }) => [name, id])
  return {
    tenantId,
    unitId,
    keyId: key.id,
    credential: { bearer: key.value, tenantId },
    roles: Object.fromEntries(roleIds) as Tenant['roles'],
  }
}

/** Creates a subscription for all events, and returns its id. */
export async function subscribe(gatewayUrl: string, tenant: Tenant, destinationUrl: string): Promise<string> {
  const { unitId, credential } = tenant
  const path = `/v1/webhooks/${unitId}/webhooks`
  const call = { method: 'POST', path, body: { destination_url: destinationUrl }, ...credential }
  const { body } = await sendUntil(gatewayUrl, call, [201])
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
