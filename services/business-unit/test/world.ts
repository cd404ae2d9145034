import { randomUUID } from 'node:crypto'
import {
  type BusinessUnit,
  businessUnitContract,
  type PaymentOrchestrator,
} from '@payments/contracts/services/business-unit/contract'
import { localVault } from '@payments/testing/services/local-vault'
import { serviceWorld } from '@payments/testing/services/service-world'
import type { Vault } from '@payments/vault/vault'
import { createApp } from '../src/app.ts'
import type { Deps } from '../src/deps.ts'
import { openDatabase } from '../src/store/database.ts'

export const units = '/v1/business-unit/business-units'
export const draftUnit = (given: object = {}) => ({ name: `unit ${randomUUID()}`, timezone_name: 'UTC', ...given })
export const sandbox = (given: object = {}) => ({
  name: 'Sandbox',
  payment_gateway: 'sandbox',
  mode: 'test',
  ...given,
})
/** Not a prefix of any other text, so that a test finds it wherever it is. */
export const httpSecret = 'Zq7-only-the-provider-knows-this-secret'
export const httpProvider = (given: object = {}) => ({
  name: 'Bank',
  payment_gateway: 'http',
  mode: 'live',
  gateway_url: 'https://api.bank.example.com/v1',
  gateway_authentication: { key_id: 'key-1', secret: httpSecret },
  ...given,
})
export const stripe = (given: object = {}) => ({
  name: 'Stripe',
  payment_gateway: 'stripe',
  mode: 'test',
  gateway_authentication: { secret_key: 'sk_test_4eC39HqLyjWDarjtT1' },
  ...given,
})

/** A real business-unit on a private database. */
export async function startWorld({
  log,
  ...given
}: Partial<Pick<Deps, 'log' | 'destinations' | 'acceptsTestMode' | 'cardPages'>> = {}) {
  const service = await serviceWorld(businessUnitContract, openDatabase, { log })
  const { vault, vaultKeys } = localVault(service.deps)
  const deps: Deps = {
    ...service.deps,
    vault,
    destinations: { allowPrivate: false },
    acceptsTestMode: true,
    cardPages: { origins: {}, listedOnly: false, ownOrigin: 'https://pay.example.com' },
    ...given,
  }
  const app = createApp(deps)
  const { asTenant, asOperator } = service.createCallers(app)
  return {
    ...service,
    app,
    deps,
    vaultKeys,
    appWith: (other: Vault) => createApp({ ...deps, vault: other }),
    asTenant,
    asService: (id: 'payment-proxy' | 'webhooks', at = app) => service.createCallers(at).asService(id),
    asOperator: asOperator(),
    /** A new tenant with one unit. */
    unit: async (fields: object = {}) => {
      const tenantId = randomUUID()
      const tenant = asTenant(tenantId)
      const { status, body, text } = await tenant.post(units, draftUnit(fields))
      if (status !== 201) throw new Error(`${status} ${text}`)
      const unit = body as BusinessUnit
      const path = `${units}/${unit.id}`
      return { tenantId, tenant, unit, path, orchestrators: `${path}/payment-orchestrators` }
    },
    events: (tenantId: string) =>
      service.events<{ business_unit?: BusinessUnit; payment_orchestrator?: PaymentOrchestrator }>(tenantId),
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
export type TestUnit = Awaited<ReturnType<World['unit']>>

/** Creates a payment orchestrator of the unit. */
export async function created({ tenant, orchestrators }: TestUnit, body: object): Promise<PaymentOrchestrator> {
  const reply = await tenant.post(orchestrators, body)
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`)
  return reply.body as PaymentOrchestrator
}
