import type { Caller } from '@payments/chassis/caller'
import { lockKey, replay } from '@payments/chassis/idempotency'
import type { Question } from '../connectors/provider.ts'
import type { Deps } from '../deps.ts'
import type { Operation } from '../domain/operation.ts'
import type { Account } from '../domain/transaction.ts'
import type { Tx } from '../store/database.ts'
import { type Answer, answerOf, type DoneStatus } from './answer.ts'
import { type Begun, rememberAnswer } from './begin.ts'
import { type Recorded, recordOutcome } from './record.ts'

/**
 * How money is moved without losing track of it.
 *
 * People: a request begins an operation (`begin.ts`): under the lock of its transaction it decides, and writes the
 * operation with a lease. Then, outside any database transaction, the provider is asked, with the operation's id as its
 * idempotency key. Then the outcome is recorded (`record.ts`): state, amounts, event and remembered answer at once. The
 * sweeper asks about operations whose lease ran out or whose outcome is open.
 *
 * Guarantees: at most one operation of a transaction is in flight. One that was sent takes effect once, however often it is
 * sent again. Each ends once, with one event. A crash at any point leaves a row that the sweeper takes up: it asks how the
 * operation ended, and an authorization that was to be captured is captured.
 * What is not known is never called failed; it stays unknown, and the transaction closed to others, until the provider
 * tells.
 * Not promised: when. An answer that got lost is asked for after 10 s, 30 s, 2 m, 10 m, 1 h, then hourly.
 */
export async function carryOut(
  deps: Deps,
  { account, operation }: { account: Account; operation: Operation },
  kind: Question['kind'],
  keyed: Keyed | null = null,
): Promise<Recorded> {
  const recorded = await askAndRecord(deps, account, operation, kind, keyed)
  if (recorded.next === null) return recorded
  return askAndRecord(deps, recorded.account, recorded.next, { do: 'follow_up' }, keyed)
}

/** What a request adds to the transaction that records the outcome: it locks its Idempotency-Key first, and stores its reply last. */
interface Keyed {
  lock(tx: Tx): Promise<void>
  remember(tx: Tx, recorded: Recorded): Promise<void>
}

/** The second and third step of a request, and its answer. Throws payment_declined, provider_unreachable. */
export async function conclude<Done extends DoneStatus>(
  deps: Deps,
  caller: Caller,
  begun: Begun,
  kind: Question['kind'],
  done: Done,
): Promise<Answer<Done>> {
  if (begun.kind === 'answered') return replay(begun.stored)
  const answerTo = ({ account, operation }: Recorded) => answerOf(account, operation, done, deps.now())
  const recorded = await carryOut(deps, begun, kind, {
    lock: (tx) => lockKey(tx, caller),
    remember: (tx, last) => rememberAnswer(tx, caller, last.operation, answerTo(last)),
  })
  return replay(answerTo(recorded))
}

/**
 * Finds out how an operation ended that was begun earlier. Where a crash left the second half of two, nobody may have sent
 * it yet, so it is sent (again): the provider takes its id once.
 */
export function pursue(deps: Deps, account: Account, operation: Operation): Promise<Recorded> {
  const again = operation.stage === 'capture' && operation.state === 'in_progress'
  return carryOut(deps, { account, operation }, { do: again ? 'follow_up' : 'sync' })
}

async function askAndRecord(
  deps: Deps,
  account: Account,
  operation: Operation,
  kind: Question['kind'],
  keyed: Keyed | null,
): Promise<Recorded> {
  const { tenantId, currency } = account.transaction
  const authorized = account.operations.find(({ type, state }) => type === 'authorize' && state === 'succeeded')
  const authorizationId = operation.type === 'authorize' ? operation.id : (authorized?.id ?? operation.id)
  const outcome = await deps.provider.ask({ operation, currency, authorizationId, kind })
  return deps.db.inTenant(tenantId, async (tx) => {
    await keyed?.lock(tx)
    const recorded = await recordOutcome(tx, deps, operation, outcome)
    if (recorded.next === null) await keyed?.remember(tx, recorded)
    return recorded
  })
}
