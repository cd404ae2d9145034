import type { Caller } from '@payments/chassis/caller'
import { lockKey, replay } from '@payments/chassis/idempotency'
import type { ProviderRequest } from '../connectors/provider.ts'
import type { Deps } from '../deps.ts'
import type { Operation } from '../domain/operation.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import type { Tx } from '../store/database.ts'
import { type Recorded, recordOutcome } from './record.ts'
import { responseOf, type SuccessStatus, type TransactionResponse } from './response.ts'
import { type OperationStart, storeResponse } from './start.ts'

/**
 * **What it does.** Executes an operation at the payment provider, at most once. The README of the service draws the
 * states of an operation.
 *
 * **Participants.** Three steps, and one sweeper:
 *
 * 1. Start (`start.ts`): locks the transaction, checks the operation, inserts the operation with a lease.
 * 2. Send: calls the provider outside of any database transaction. The id of the operation is the idempotency key.
 * 3. Record (`record.ts`): stores state, amounts, event and response in one database transaction.
 *
 * The sweeper (`settle-open-operations.ts`) resumes operations whose lease expired or whose outcome is open.
 *
 * **Guarantees.**
 *
 * 1. At most one operation of a transaction is open: start holds the lock, and a partial unique index rejects a second.
 * 2. A sent operation takes effect once: the provider accepts an operation id once.
 * 3. Each operation ends once, with one event: the update of step 3 requires an open operation.
 * 4. A crash leaves an open row. The sweeper then requests the outcome, and sends a capture that a crash interrupted.
 * 5. An unknown outcome never counts as a failure. The transaction rejects other operations until the provider reports.
 *
 * **Not guaranteed.** When the outcome is known: the sweeper requests an open outcome after 10 s, 30 s, 2 min, 10 min,
 * 1 h, then hourly.
 *
 * `executeOperation` runs steps 2 and 3, and again for the capture of an authorization with capture.
 */
export async function executeOperation(
  deps: Deps,
  { aggregate, operation }: { aggregate: TransactionAggregate; operation: Operation },
  kind: ProviderRequest['kind'],
  keyed: KeyedRequest | null = null,
): Promise<Recorded> {
  const recorded = await sendAndRecord(deps, aggregate, operation, kind, keyed)
  if (recorded.next === null) return recorded
  return sendAndRecord(deps, recorded.aggregate, recorded.next, { do: 'follow_up' }, keyed)
}

/** The part that a request adds to step 3: it locks its Idempotency-Key first and stores its response last. */
interface KeyedRequest {
  lock(tx: Tx): Promise<void>
  storeResponse(tx: Tx, recorded: Recorded): Promise<void>
}

/** Executes the operation of a request and returns the response. Throws payment_declined, provider_unreachable. */
export async function completeRequest<Success extends SuccessStatus>(
  deps: Deps,
  caller: Caller,
  start: OperationStart,
  kind: ProviderRequest['kind'],
  successStatus: Success,
): Promise<TransactionResponse<Success>> {
  if (start.kind === 'response') return replay(start.stored)
  const respond = ({ aggregate, operation }: Recorded) => responseOf(aggregate, operation, successStatus, deps.now())
  const recorded = await executeOperation(deps, start, kind, {
    lock: (tx) => lockKey(tx, caller),
    storeResponse: (tx, last) => storeResponse(tx, caller, last.operation, respond(last)),
  })
  return replay(respond(recorded))
}

/**
 * Requests the outcome of an open operation from the provider. After a crash, the capture of an authorization with
 * capture may not have been sent: it is sent (again), since the provider accepts its id once.
 */
export function resumeOperation(deps: Deps, aggregate: TransactionAggregate, operation: Operation): Promise<Recorded> {
  const mayBeUnsent = operation.stage === 'capture' && operation.state === 'in_progress'
  return executeOperation(deps, { aggregate, operation }, { do: mayBeUnsent ? 'follow_up' : 'sync' })
}

async function sendAndRecord(
  deps: Deps,
  aggregate: TransactionAggregate,
  operation: Operation,
  kind: ProviderRequest['kind'],
  keyed: KeyedRequest | null,
): Promise<Recorded> {
  const { tenantId, currency } = aggregate.transaction
  const authorized = aggregate.operations.find(({ type, state }) => type === 'authorize' && state === 'succeeded')
  const authorizationId = operation.type === 'authorize' ? operation.id : (authorized?.id ?? operation.id)
  const outcome = await deps.provider.send({ operation, currency, authorizationId, kind })
  return deps.db.inTenant(tenantId, async (tx) => {
    await keyed?.lock(tx)
    const recorded = await recordOutcome(tx, deps, operation, outcome)
    if (recorded.next === null) await keyed?.storeResponse(tx, recorded)
    return recorded
  })
}
