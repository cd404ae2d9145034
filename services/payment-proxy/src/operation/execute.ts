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
 * **What it does.** Executes an operation at the payment provider, at most once. The README of the service has the
 * states and the proof.
 *
 * **Guarantees.** A sent operation takes effect once and ends once, with at most one event. A crash leaves an open row.
 * An unknown outcome never counts as a failure: the transaction rejects other operations until the provider reports.
 *
 * **Not guaranteed.** When it is known.
 *
 * `executeOperation` sends and records, and again for the capture of an authorization with capture.
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
