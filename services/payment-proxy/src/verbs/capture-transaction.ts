import type { Caller } from '@payments/chassis/caller'
import type { Deps } from '../deps.ts'
import { planCapture } from '../domain/action.ts'
import type { Account } from '../domain/transaction.ts'
import type { Answer } from '../operation/answer.ts'
import { beginOperation } from '../operation/begin.ts'
import { conclude } from '../operation/carry-out.ts'

/** Captures `amount`, or all that is left; a final capture releases the rest. */
export async function captureTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  wanted: { amount: number | undefined; final: boolean },
): Promise<Answer<200>> {
  const plan = (account: Account) => planCapture(account, wanted)
  const begun = await deps.db.inTenant(caller.tenantId, (tx) =>
    beginOperation(tx, deps, transactionId, { caller, done: 200, plan }),
  )
  return conclude(deps, caller, begun, { do: 'follow_up' }, 200)
}
