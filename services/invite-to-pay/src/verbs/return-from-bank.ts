import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { replyToReturn } from '../page/reply.ts'
import { endConfirmation } from '../payment/confirm.ts'
import { findVisited } from '../payment/visit.ts'

/**
 * The return of a payer from their bank: requests the outcome of the payment, and leads to the page of the code. What
 * the bank wrote into the address proves nothing and is not read, so a forged or repeated return changes nothing.
 * Throws service_unavailable.
 */
export async function returnFromBank(
  deps: Deps,
  { traceId, recordTenant }: PublicCaller,
  value: string,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<PageReply> {
  const visit = { value, traceId, acceptLanguage: headers['accept-language'], recordTenant }
  const visited = await findVisited(deps, visit)
  if (visited?.code.confirmation != null) await endConfirmation(deps, visited.code, traceId, 'outcome')
  return replyToReturn(visit, visited)
}
