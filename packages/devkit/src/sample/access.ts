import { PaymentServiceError } from '@payments/client/errors'
import { createShopClient, type Shop } from './shop.ts'

const accountant = {
  name: 'accountant',
  description: 'Reads payments and exports the audit',
  permissions: ['transaction:ReadTransaction', 'businessunit:ReadBusinessUnit', 'audit:ReadRecord'],
} as const

const dayMs = 86_400_000
/** Within the two weeks in which the home page warns. */
const expiryDays = 12

/** Keys of different states, with the requests that the API rejects on a usual day, and a role. */
export async function writeAccess(shop: Shop): Promise<void> {
  const { client, gatewayUrl, tenantId, once } = shop
  const roles = await client.listRoles({ limit: 200 }).page()
  const findRoleId = (name: string) => roles.data.find((role) => role.name === name)?.id
  const accountantId =
    findRoleId(accountant.name) ??
    (await client.createRole({ body: { ...accountant, permissions: [...accountant.permissions] } }, once('role'))).id
  const create = async (name: string, description: string, roleId?: string) => {
    const key = await client.createKey({ body: { name, description } }, once(`key ${name}`))
    if (roleId !== undefined) await client.assignRoles({ api_key_id: key.id, body: { role_ids: [roleId] } })
    return key
  }
  await create('Checkout backend', 'Takes the payments of the shop', findRoleId('developer'))
  const exporting = await create('Monthly export', 'Exports payments for accounting', accountantId)
  const expiresAt = new Date(Date.now() + expiryDays * dayMs).toISOString()
  await client.updateKey({ api_key_id: exporting.id, body: { expires_at: expiresAt } })
  const old = await create('Import of 2024', 'Imported the orders of the previous shop', findRoleId('viewer'))
  await client.updateKey({ api_key_id: old.id, body: { enabled: false } })
  await create('Point of sale', 'Without a role, until the pilot begins')
  await createShopClient(gatewayUrl, tenantId, exporting.value).listTransactions({ limit: 200 }).page()
  await sendRejected(shop, exporting.value)
}

/** Requests that the API rejects: no permission, an unknown key, an unknown transaction, and a negative amount. */
async function sendRejected({ client, gatewayUrl, tenantId, unitId }: Shop, limitedValue: string): Promise<void> {
  const limited = createShopClient(gatewayUrl, tenantId, limitedValue)
  const lastCharacter = limitedValue.endsWith('a') ? 'b' : 'a'
  const unknown = createShopClient(gatewayUrl, tenantId, limitedValue.slice(0, -1) + lastCharacter)
  const payment_details = { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' } as const
  const payment = { business_unit_id: unitId, currency: 'EUR', amount: -1, payment_details }
  const requests = [
    () => limited.listKeys().page(),
    () => unknown.listTransactions().page(),
    () => client.readTransaction({ transaction_id: crypto.randomUUID() }),
    () => client.createAndAuthorizeTransaction({ body: payment }),
  ]
  for (const request of [...requests, ...requests]) {
    await request().catch((error: unknown) => {
      if (!(error instanceof PaymentServiceError) || error.status >= 500) throw error
    })
  }
}
