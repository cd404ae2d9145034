import { isFromOwnPage } from '@payments/chassis/request/form'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { hashCode } from '../domain/code-value.ts'
import { decideAttempt, decideForm, type RequestedPayment } from '../domain/form-decision.ts'
import { parseTimeZone } from '../domain/formats.ts'
import { readPaymentForm } from '../page/form.ts'
import { bankReturnAddress, localeOfVisit, replyToForm } from '../page/reply.ts'
import { executePayment } from '../payment/execute.ts'
import { findVisited, type Visit, type VisitedCode } from '../payment/visit.ts'

/**
 * Pays a code with the form of its page. Every started payment redirects to the page, which shows it in progress or its
 * outcome; a rejected form changes nothing. Throws service_unavailable.
 */
export async function payCode(
  deps: Deps,
  visit: Visit,
  body: RawBody,
  timeZone: string | undefined,
): Promise<PageReply> {
  const form = isFromOwnPage(body, deps.payBaseUrl) ? readPaymentForm(body) : undefined
  const visited = await findVisited(deps, visit)
  const decision = decideForm(visit.value, visited, form)
  const { after, reply } =
    typeof decision === 'string'
      ? { after: visited, reply: decision }
      : await pay(deps, visit, visited, { ...decision, payerTimeZone: parseTimeZone(timeZone) })
  return replyToForm(visit, after, reply)
}

/** Pays the code. After an attempt that was limited or stale, the visit is outdated: reads the code again. */
async function pay(
  deps: Deps,
  visit: Visit,
  visited: VisitedCode | null,
  payment: RequestedPayment & { readonly payerTimeZone: string | null },
) {
  const { traceId, value } = visit
  const payerLocale = localeOfVisit(visit, visited)
  const bankReturnUrl = `${deps.payBaseUrl}${bankReturnAddress(visit)}`
  const request = { ...payment, traceId, codeHash: hashCode(value), payerLocale, bankReturnUrl }
  const outcome = await executePayment(deps, request)
  const isOutdated = outcome === 'limited' || outcome === 'stale'
  const after = isOutdated ? await findVisited(deps, visit) : visited
  return { after, reply: decideAttempt(outcome, after) }
}
