import type { Caller } from '@payments/chassis/caller'
import { problems } from '@payments/contracts/payment-proxy'
import { Problem } from '@payments/contracts/problem'
import type { Deps } from '../deps.ts'
import { isInFlight, isLeased, type Operation } from '../domain/operation.ts'
import { type Account, presentTransaction } from '../domain/transaction.ts'
import type { Answer } from '../operation/answer.ts'
import { leaseUntil } from '../operation/begin.ts'
import { pursue } from '../operation/carry-out.ts'
import { lockAccount } from '../store/accounts.ts'
import { updateOperation } from '../store/operations.ts'

/** Asks the provider how the open operation ended. 200 when none is open (any more), else 202. */
export async function syncTransaction(deps: Deps, caller: Caller, transactionId: string): Promise<Answer<200>> {
  const { account, open } = await claimOpen(deps, caller, transactionId)
  if (open === null) return reply(deps, account)
  const recorded = await pursue(deps, account, open)
  return reply(deps, recorded.account)
}

/** The open operation, counted as asked once more; null where there is none, or where a request is waiting for it. */
function claimOpen(
  deps: Deps,
  { tenantId }: Caller,
  transactionId: string,
): Promise<{ account: Account; open: Operation | null }> {
  return deps.db.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId, transactionId)
    if (account === null) throw new Problem(problems.transaction_not_found)
    const now = deps.now()
    const open = account.operations.find(isInFlight)
    if (open === undefined || isLeased(open, now)) return { account, open: null }
    const claimed = { ...open, attemptCount: open.attemptCount + 1, dueAt: leaseUntil(now) }
    await updateOperation(tx, tenantId, claimed)
    return { account, open: claimed }
  })
}

function reply(deps: Deps, account: Account): Answer<200> {
  const body = presentTransaction(account, deps.now())
  return { status: account.operations.some(isInFlight) ? 202 : 200, body }
}
