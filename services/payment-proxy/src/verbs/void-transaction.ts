import type { Caller } from '@payments/chassis/caller'
import type { Deps } from '../deps.ts'
import { planVoid } from '../domain/action.ts'
import type { Account } from '../domain/transaction.ts'
import { type Answer, answerOf } from '../operation/answer.ts'
import { type Begun, beginOperation, rememberAnswer } from '../operation/begin.ts'
import { conclude } from '../operation/carry-out.ts'
import { recordOutcome } from '../operation/record.ts'
import type { Tx } from '../store/database.ts'

/** Releases what is authorized and not captured. Before an authorization it calls the transaction off, all by ourselves. */
export async function voidTransaction(
  deps: Deps,
  caller: Caller,
  transactionId: string,
  reason: string | undefined,
): Promise<Answer<200>> {
  const plan = (account: Account) => planVoid(account, reason)
  const begun = await deps.db.inTenant(caller.tenantId, async (tx) => {
    const started = await beginOperation(tx, deps, transactionId, { caller, done: 200, plan })
    const isLocal = started.kind === 'started' && started.operation.amount === 0
    return isLocal ? callOff(tx, deps, caller, started) : started
  })
  return conclude(deps, caller, begun, { do: 'follow_up' }, 200)
}

async function callOff(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { account, operation }: Extract<Begun, { kind: 'started' }>,
): Promise<Begun> {
  const { currency } = account.transaction
  const outcome = { kind: 'succeeded', providerReference: null, amount: 0, currency } as const
  const recorded = await recordOutcome(tx, deps, operation, outcome)
  const stored = answerOf(recorded.account, recorded.operation, 200, deps.now())
  await rememberAnswer(tx, caller, recorded.operation, stored)
  return { kind: 'answered', stored }
}
