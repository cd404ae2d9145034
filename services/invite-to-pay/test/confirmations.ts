import type { CodeWithLink } from '@payments/contracts/services/invite-to-pay/contract'
import { payPagePath, type World } from './world.ts'

/** A code whose payment waits for the payer at their bank, and the pages below its link. */
export async function confirmingCode(world: World, fields: object = {}) {
  const tenant = world.tenant()
  const code: CodeWithLink = await tenant.create(fields)
  const paid = await world.pay(code, 'tok_challenge')
  const path = payPagePath(code)
  const transaction = world.payments.ledger.get(code.transaction_id)?.transaction
  if (transaction === undefined) throw new Error('the code has no transaction')
  return {
    tenant,
    code,
    path,
    paid,
    transaction,
    readStatus: async () => (await tenant.read(code.id)).status,
    returns: (query = '') => world.payer.get(`${path}/return${query}`),
    cancel: async (fields?: Record<string, string>, headers = {}) => {
      const reply = await world.payer.form(`${path}/cancel`, fields ?? { nonce: await world.nonce(code) }, headers)
      await world.deps.inProgress.settled()
      return reply
    },
  }
}
