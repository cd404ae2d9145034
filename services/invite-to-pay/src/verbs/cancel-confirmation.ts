import { isFromOwnPage } from '@payments/chassis/request/form'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { isValidNonce } from '../domain/nonce.ts'
import { readNonce } from '../page/form.ts'
import { redirectToPage, replyToRejectedCancellation, replyToUnreadable } from '../page/reply.ts'
import { requestOutcome } from '../payment/request-outcome.ts'
import { findVisited, type Visit } from '../payment/visit.ts'

/**
 * Cancels a payment that waits for the payer, who wants to pay in another way, and redirects to the page of the code.
 * The payment provider decides: a payment that was confirmed is a payment. A form of another payment changes nothing.
 * While the payment still waits after the request, the page has a notice. Throws service_unavailable.
 */
export async function cancelConfirmation(deps: Deps, visit: Visit, form: RawBody): Promise<PageReply> {
  const visited = await findVisited(deps, visit)
  const nonce = isFromOwnPage(form, deps.payBaseUrl) ? readNonce(form) : undefined
  if (visited === null || nonce === undefined) return replyToUnreadable(visit, visited)
  const { code, now } = visited
  if (code.confirmation !== null && isValidNonce(nonce, visit.value, code, now)) {
    const result = await requestOutcome(deps, code, visit.traceId, 'cancellation')
    if (result !== 'requested') return replyToRejectedCancellation(visit, await findVisited(deps, visit), result)
  }
  return redirectToPage(visit, visited)
}
