import { PaymentServiceError } from '@payments/client/errors'
import { clientOf, type Shop } from './shop.ts'

const accountant = {
  name: 'accountant',
  description: 'Reads payments and exports the audit',
  permissions: ['transaction:ReadTransaction', 'businessunit:ReadBusinessUnit', 'audit:ReadRecord'],
} as const

const dayMs = 86_400_000

/** The same for each call of a day, so that a call that is sent again is the same. */
const midnightAfter = (days: number) => new Date((Math.floor(Date.now() / dayMs) + days) * dayMs).toISOString()

/** Keys of different states, with the requests that the API rejects on a usual day, and a role. */
export async function writeAccess(shop: Shop): Promise<void> {
  const { client, once } = shop
  const roles = await client.listRoles({ limit: 200 }).page()
  const idOf = (name: string) => roles.data.find((role) => role.name === name)?.id
  const accountantId =
    idOf(accountant.name) ??
    (await client.createRole({ body: { ...accountant, permissions: [...accountant.permissions] } }, once('role'))).id
  const create = async (name: string, description: string, roleId: string | undefined, expiresInDays?: number) => {
    const expires_at = expiresInDays === undefined ? null : midnightAfter(expiresInDays)
    const key = await client.createKey({ body: { name, description, expires_at } }, once(`key ${name}`))
    if (roleId !== undefined) await client.assignRoles({ api_key_id: key.id, body: { role_ids: [roleId] } })
    return key
  }
  await create('Checkout backend', 'Takes the payments of the shop', idOf('developer'))
  const exports = await create('Monthly export', 'Exports payments for accounting', accountantId, 12)
  const old = await create('Import of 2024', 'Imported the orders of the previous shop', idOf('viewer'))
  await client.updateKey({ api_key_id: old.id, body: { enabled: false } })
  await create('Point of sale', 'Without a role, until the pilot begins', undefined)
  await makeMistakes(shop, exports.value)
}

/** Requests that the API rejects: a missing permission, a wrong amount, an unknown payment, a disabled value. */
async function makeMistakes({ client, gatewayUrl, tenantId, unitId }: Shop, limitedValue: string): Promise<void> {
  const limited = clientOf(gatewayUrl, tenantId, limitedValue)
  const unknown = clientOf(
    gatewayUrl,
    tenantId,
    `${limitedValue.slice(0, -1)}${limitedValue.endsWith('a') ? 'b' : 'a'}`,
  )
  const payment_details = { payment_method: 'CREDIT_CARD', cc_token: 'tok_sandbox_visa' } as const
  const mistakes = [
    () => limited.listTransactions().page(),
    () => limited.listKeys().page(),
    () => unknown.listTransactions().page(),
    () => client.readTransaction({ transaction_id: crypto.randomUUID() }),
    () =>
      client.createAndAuthorizeTransaction({
        body: { business_unit_id: unitId, currency: 'EUR', amount: -1, payment_details },
      }),
  ]
  for (const mistake of [...mistakes, ...mistakes]) {
    await mistake().catch((error: unknown) => {
      if (!(error instanceof PaymentServiceError) || error.status >= 500) throw error
    })
  }
}
