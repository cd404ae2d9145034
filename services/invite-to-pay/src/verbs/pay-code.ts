import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { hashOf } from '../domain/code-value.ts'
import { decideClaim, decideForm } from '../domain/form-decision.ts'
import { readPaymentForm } from '../page/form.ts'
import { executePayment } from '../payment/execute.ts'
import { findVisited, replyToForm } from '../payment/page.ts'

/**
 * Pays a code with the form of its page. Every claim leads back to the page, which shows the payment in progress or its
 * outcome; a rejected form changes nothing. Throws service_unavailable.
 */
export async function payCode(
  deps: Deps,
  { traceId, recordTenant }: PublicCaller,
  value: string,
  { bytes, headers }: RawBody,
): Promise<PageReply> {
  const visit = { value, traceId, acceptLanguage: headers['accept-language'], recordTenant }
  const form = isFromOurPage(headers, deps.payBaseUrl) ? readPaymentForm(headers['content-type'], bytes) : undefined
  const opened = await findVisited(deps, visit)
  const decision = decideForm(value, opened, form)
  if (typeof decision === 'string') return replyToForm(visit, opened, decision)
  const outcome = await executePayment(deps, { ...decision, traceId, codeHash: hashOf(value) })
  const isOutdated = outcome === 'limited' || outcome === 'stale'
  const visited = isOutdated ? await findVisited(deps, visit) : opened
  return replyToForm(visit, visited, decideClaim(outcome, visited))
}

/** Decides by Sec-Fetch-Site where a browser sends it. The policy no-referrer makes the origin of our pages `null`. */
function isFromOurPage(headers: RawBody['headers'], ourOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'same-origin'
  return origin === undefined || origin === 'null' || origin === ourOrigin
}
