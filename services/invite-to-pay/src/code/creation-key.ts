import type { Caller } from '@payments/chassis/base/caller'
import { newId, timeOfId } from '@payments/chassis/base/id'
import { begin, type RequestResult, rebind } from '@payments/chassis/request/idempotency'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Deps } from '../deps.ts'
import { deleteUnfinished } from '../store/idempotency-keys.ts'

/**
 * **What it does.** Stores the id of the transaction that a request creates under its Idempotency-Key, before the call
 * that creates it. A repeated request continues with the same id.
 *
 * **Guarantees.** All requests with a key have one id, so they create one transaction. A rejected request leaves its
 * key for a corrected one, unless another request has used the key: that one may have created the transaction.
 */
type CreationKey =
  | { readonly state: 'completed'; readonly stored: RequestResult }
  /** `isFirst`: no other request has used the key. */
  | { readonly state: 'started'; readonly transactionId: string; readonly isFirst: boolean }

type KeyDeps = Pick<Deps, 'db' | 'paymentProxy'>

const repeatedMark = ' repeated'

/** Throws idempotency_key_in_use, idempotency_key_reused. */
export async function beginCreation(deps: KeyDeps, caller: Caller): Promise<CreationKey> {
  const { tenantId } = caller
  const newTransactionId = newId()
  const key = await deps.db.inTenant(tenantId, async (tx) => {
    const found = await begin(tx, caller, newTransactionId)
    const reference = found.state === 'unfinished' ? found.reference : null
    if (reference !== null) await rebind(tx, caller, markRepeated(reference))
    return found
  })
  if (key.state === 'completed') return key
  if (key.state === 'new' || key.reference === null) {
    return { state: 'started', transactionId: newTransactionId, isFirst: key.state === 'new' }
  }
  const transactionId = key.reference.replace(repeatedMark, '')
  if (!(await isOutdated(deps, caller, transactionId))) return { state: 'started', transactionId, isFirst: false }
  await deps.db.inTenant(tenantId, (tx) => deleteUnfinished(tx, tenantId, caller, markRepeated(key.reference ?? '')))
  return beginCreation(deps, caller)
}

/** Leaves the key for a corrected request, after the first request with it was rejected before its transaction. */
export async function releaseRejected({ db }: Pick<Deps, 'db'>, caller: Caller, transactionId: string): Promise<void> {
  const { tenantId } = caller
  await db.inTenant(tenantId, (tx) => deleteUnfinished(tx, tenantId, caller, transactionId))
}

const markRepeated = (reference: string) => (reference.endsWith(repeatedMark) ? reference : reference + repeatedMark)

/** Lists of transactions search a window of time with an hour around their ids. */
const ageMsMax = 30 * 60 * 1000
/** Longer than a request with the id takes. */
const requestMsMax = 60 * 1000

/**
 * Whether an earlier request has left an id that no transaction has, and that is too old for a new one. Throws
 * idempotency_key_in_use while that request may still create its transaction.
 */
async function isOutdated(
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
