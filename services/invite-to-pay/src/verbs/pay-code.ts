import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { hashOf, pathOf } from '../domain/code-value.ts'
import { isValidNonce } from '../domain/nonce.ts'
import { readPaymentForm } from '../page/form.ts'
import { executePayment } from '../payment/execute.ts'
import { findVisited, replyWithPage, type Visit, type VisitedCode } from '../payment/page.ts'
import { isRateLimited } from '../store/due-codes.ts'

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
  const visited = await findVisited(deps, visit)
  if (visited?.status !== 'active') return replyToInactive(visit, visited)
  const form = isFromOurPage(headers, deps.payBaseUrl) ? readPaymentForm(headers['content-type'], bytes) : undefined
  if (form === undefined) return replyWithPage(visit, visited, { status: 400, notice: { kind: 'failed' } })
  if (!isValidNonce(form.nonce, value, visited.code, visited.now)) {
    return replyWithPage(visit, visited, { status: 409, notice: { kind: 'stale' } })
  }
  const { version, tenantId } = visited.code
  const { paymentDetails } = form
  const paid = await executePayment(deps, { traceId, tenantId, codeHash: hashOf(value), version, paymentDetails })
  if (paid === 'busy') return replyWithPage(visit, visited, overloaded)
  return paid === 'unclaimed' ? replyToUnclaimed(deps, visit) : redirect(visit)
}

const overloaded = { status: 503, notice: { kind: 'overloaded' }, retryAfterSeconds: 5 } as const

/** Decides by Sec-Fetch-Site where a browser sends it. The policy no-referrer makes the origin of our pages `null`. */
function isFromOurPage(headers: RawBody['headers'], ourOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'same-origin'
  return origin === undefined || origin === 'null' || origin === ourOrigin
}

/** The code was changed, claimed or limited after its page was read. */
async function replyToUnclaimed(deps: Deps, visit: Visit): Promise<PageReply> {
  const visited = await findVisited(deps, visit)
  if (visited?.status !== 'active') return replyToInactive(visit, visited)
  const isLimited = await deps.db.acrossTenants((tx) => isRateLimited(tx, hashOf(visit.value)))
  const rejection = isLimited
    ? { status: 429 as const, notice: { kind: 'too_many' as const }, retryAfterSeconds: 60 }
    : { status: 409 as const, notice: { kind: 'stale' as const } }
  return replyWithPage(visit, visited, rejection)
}

function replyToInactive(visit: Visit, visited: VisitedCode | null): PageReply {
  if (visited?.status === 'completed') return redirect(visit)
  if (visited?.status === 'processing') return replyWithPage(visit, visited, { status: 409, notice: { kind: 'busy' } })
  return replyWithPage(visit, visited)
}

const redirect = ({ value }: Visit): PageReply => ({
  status: 303,
  html: '',
  policy: "default-src 'none'",
  location: pathOf(value),
})
