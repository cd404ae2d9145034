import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { redirectToPage } from '../page/reply.ts'
import { requestOutcome } from '../payment/request-outcome.ts'
import { findVisited, type Visit } from '../payment/visit.ts'

/**
 * The return of a payer from their bank: requests the outcome of the payment, and redirects to the page of the code.
 * The parameters that the bank adds to the address prove nothing and are not read, so a forged or repeated return
 * changes nothing. Throws service_unavailable.
 */
export async function returnFromBank(deps: Deps, visit: Visit): Promise<PageReply> {
  const visited = await findVisited(deps, visit)
  if (visited?.code.confirmation != null) await requestOutcome(deps, visited.code, visit.traceId, 'sync')
  return redirectToPage(visit, visited)
}
