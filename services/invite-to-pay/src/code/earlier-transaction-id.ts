import type { Caller } from '@payments/chassis/base/caller'
import { timeOfId } from '@payments/chassis/base/id'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Deps } from '../deps.ts'

/** Lists of transactions search a window of time with an hour around their ids. */
const ageMsMax = 30 * 60 * 1000
/** Longer than a request with the id takes. */
const requestMsMax = 60 * 1000

/**
 * Whether an earlier request has left an id that no transaction has, and that is too old for a new one. Throws
 * idempotency_key_in_use while that request may still create its transaction.
 */
export async function isOutdated(
  { paymentProxy }: Pick<Deps, 'paymentProxy'>,
  { tenantId, traceId }: Pick<Caller, 'tenantId' | 'traceId'>,
  transactionId: string,
): Promise<boolean> {
  const ageMs = Date.now() - timeOfId(transactionId).getTime()
  if (ageMs <= ageMsMax) return false
  try {
    await paymentProxy.findTransaction({ traceId }, { params: { tenant_id: tenantId, transaction_id: transactionId } })
    return false
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'transaction_not_found') throw error
    if (ageMs > ageMsMax + requestMsMax) return true
    throw new Problem(commonProblems.idempotency_key_in_use, { retryAfterSeconds: requestMsMax / 1000 })
  }
}
