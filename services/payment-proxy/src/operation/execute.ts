import type { Caller } from '@payments/chassis/base/caller'
import { lockIdempotencyKey, replyOf } from '@payments/chassis/request/idempotency'
import type { PaymentDetails } from '../connectors/connector.ts'
import type { Instruction } from '../connectors/provider.ts'
import type { Deps } from '../deps.ts'
import type { Operation } from '../domain/operation.ts'
import type { Tx } from '../store/database.ts'
import { type Recorded, recordOutcome, type SentOperation } from './record.ts'
import { responseOf, type SuccessStatus, type TransactionResponse } from './response.ts'
import { type Execution, type OperationStart, storeResponse } from './start.ts'

/**
 * **What it does.** Executes an operation at the payment provider, at most once. The README of the service draws the
 * states of an operation.
 *
 * **Participants.** Three steps, and one sweeper:
 *
 * 1. Start (`start.ts`): locks the transaction, checks the operation, inserts the operation with a lease, reads the
 *    payment orchestrator.
 * 2. Send: calls the provider outside of any database transaction. The id of the operation is the idempotency key.
 * 3. Record (`record.ts`): stores the outcome in one database transaction: state and amounts, the event of an ended
 *    operation, and a final response.
 *
 * The sweeper (`resume-open-operations.ts`) resumes operations whose lease expired or whose outcome is open.
 *
 * **Guarantees.**
 *
 * 1. At most one operation of a transaction is open: start holds the lock, and the unique index
 *    `operations_one_in_flight_key` rejects a second.
 * 2. A sent operation takes effect once: the provider accepts an operation id once.
 * 3. Each operation ends once, with at most one event: the update of step 3 requires an open operation.
 * 4. An attempt ends an operation as not sent only while no later attempt has started.
 * 5. A crash leaves an open row. The sweeper sends the capture of an authorization with capture again; of any other
 *    operation it only reads the outcome.
 * 6. An unknown outcome never counts as a failure. The transaction rejects other operations until the provider reports.
 *
 * **Not guaranteed.** When the outcome is known: the sweeper requests an open outcome after 10 s, 30 s, 2 min, 10 min,
 * 1 h, then hourly.
 *
 * `executeOperation` runs steps 2 and 3, and again for the capture of an authorization with capture.
 */
export async function executeOperation(
  deps: Deps,
  execution: Execution,
  instruction: Instruction,
  steps: RequestSteps | null = null,
): Promise<Recorded> {
  const { orchestrator } = execution
  const recorded = await sendAndRecord(deps, execution, instruction, steps)
  if (recorded.next === null) return recorded
  const capture = { aggregate: recorded.aggregate, operation: recorded.next, orchestrator }
  return sendAndRecord(deps, capture, { kind: 'execute', paymentDetails: null }, steps)
}

/** A request adds these to step 3: it locks its Idempotency-Key first and stores its response last. */
interface RequestSteps {
  lock(tx: Tx): Promise<void>
  storeResponse(tx: Tx, recorded: Recorded): Promise<void>
}

/** Executes the operation of a request and returns the response. Throws payment_declined, provider_unreachable. */
export async function executeForRequest<Success extends SuccessStatus>(
  deps: Deps,
  caller: Caller,
  start: OperationStart,
  { successStatus, paymentDetails }: { successStatus: Success; paymentDetails: PaymentDetails | null },
): Promise<TransactionResponse<Success>> {
  if (start.kind === 'response') return replyOf(start.stored)
  const respond = ({ aggregate, operation }: Recorded) => responseOf(aggregate, operation, successStatus, deps.now())
  const recorded = await executeOperation(
    deps,
    start,
    { kind: 'execute', paymentDetails },
    {
      lock: (tx) => lockIdempotencyKey(tx, caller),
      storeResponse: (tx, last) => storeResponse(tx, caller, last.operation, respond(last)),
    },
  )
  return replyOf(respond(recorded))
}

/** Requests the outcome of an open operation from the provider, or sends the operation again. */
export function resumeOperation(deps: Deps, execution: Execution): Promise<Recorded> {
  return executeOperation(deps, execution, instructionToResume(execution.operation))
}

/**
 * After a crash, the capture of an authorization with capture may not have been sent: it is sent (again), since the
 * provider accepts its id once. The outcome of any other operation is requested.
 */
export function instructionToResume({ stage, state }: Pick<Operation, 'stage' | 'state'>): Instruction {
  const mayBeUnsent = stage === 'capture' && state === 'in_progress'
  return mayBeUnsent ? { kind: 'execute', paymentDetails: null } : { kind: 'sync' }
}

async function sendAndRecord(
  deps: Deps,
  { aggregate, operation, orchestrator }: Execution,
  instruction: Instruction,
  steps: RequestSteps | null,
): Promise<Recorded> {
  const { tenantId, businessUnitId, paymentOrchestratorId, currency } = aggregate.transaction
  const authorized = aggregate.operations.find(({ type, state }) => type === 'authorize' && state === 'succeeded')
  const authorizationId = operation.type === 'authorize' ? operation.id : (authorized?.id ?? operation.id)
  const outcome = await deps.provider.send({
    operation,
    businessUnitId,
    paymentOrchestratorId,
    orchestrator,
    currency,
    authorizationId,
    authorizationReference: authorized?.providerReference ?? null,
    instruction,
  })
  return deps.db.inTenant(tenantId, async (tx) => {
    await steps?.lock(tx)
    const recorded = await recordOutcome(tx, deps, sentBy(instruction, operation), outcome)
    if (recorded.next === null) await steps?.storeResponse(tx, recorded)
    return recorded
  })
}

function sentBy({ kind }: Instruction, { id, tenantId, transactionId, attemptCount }: Operation): SentOperation {
  const sent = { id, tenantId, transactionId }
  return kind === 'execute' ? { ...sent, executedAttempt: attemptCount } : sent
}
