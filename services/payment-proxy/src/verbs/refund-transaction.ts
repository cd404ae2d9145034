import type { Caller } from '@payments/chassis/caller'
import type { Deps } from '../deps.ts'
import { planRefund, type RefundWish } from '../domain/refund.ts'
import type { Account } from '../domain/transaction.ts'
import type { Answer } from '../operation/answer.ts'
import { beginOperation } from '../operation/begin.ts'
import { conclude } from '../operation/carry-out.ts'

/** Gives back `amount`, what the items cost, or all that is left. */
export async function refundTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  wish: RefundWish,
): Promise<Answer<200>> {
  const plan = (account: Account) => planRefund(account, wish)
  const begun = await deps.db.inTenant(caller.tenantId, (tx) =>
    beginOperation(tx, deps, transactionId, { caller, done: 200, plan }),
  )
  return conclude(deps, caller, begun, { do: 'follow_up' }, 200)
}
