import type { Caller } from '@payments/chassis/base/caller'
import { finish, lockIdempotencyKey, replyOf } from '@payments/chassis/request/idempotency'
import type { Instruction, ProviderRequest } from '../connectors/provider-request.ts'
import type { Deps } from '../deps.ts'
import { mustCancel, type Operation } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { storeAccount } from '../store/operations.ts'
import {
  isReplyFinal,
  type Recorded,
  type RequestReply,
  recordAsKnown,
  recordOutcome,
  type SentOperation,
} from './record.ts'
import { responseOf, type SuccessStatus, type TransactionResponse } from './response.ts'
import { type Execution, effectiveOperation, type OperationStart } from './start.ts'

/**
 * **What it does.** Executes an operation at the payment provider, at most once. The README of the service has the
 * states and the proof.
 *
 * **Guarantees.** A sent operation takes effect once and ends once, with at most one event. A crash leaves an open row.
 * An unknown outcome never counts as a failure: the transaction rejects other operations until the provider reports.
 *
 * **Not guaranteed.** When it is known.
 *
 * `executeOperation` sends and records, and again for the capture or void that follows an authorization.
 */
export async function executeOperation(
  deps: Deps,
  execution: Execution,
  instruction: Instruction,
  reply: RequestReply | null = null,
): Promise<Recorded> {
  const { orchestrator } = execution
  const recorded = await sendAndRecord(deps, execution, instruction, reply)
  if (recorded.next === null) return recorded
  const following = { aggregate: recorded.aggregate, operation: recorded.next, orchestrator }
  return sendAndRecord(deps, following, { kind: 'execute', paymentDetails: null }, reply)
}

/** Executes the operation of a request and returns the response. Throws payment_declined, provider_unreachable. */
export async function executeForRequest<Success extends SuccessStatus>(
  deps: Deps,
  caller: Caller,
  start: OperationStart,
  { successStatus, instruction, effective = effectiveOperation }: ExecutionOfRequest<Success>,
): Promise<TransactionResponse<Success>> {
  if (start.kind === 'response') return replyOf(start.stored)
  const { id } = start.operation
  const effectiveIn = (aggregate: TransactionAggregate) => effective(aggregate, id)
  const respond = ({ aggregate }: Recorded) => responseOf(aggregate, effectiveIn(aggregate), successStatus, deps.now())
  const reply = { caller, effective: effectiveIn, of: respond }
  const recorded = await executeOperation(deps, start, instruction, reply)
  return replyOf(respond(recorded))
}

interface ExecutionOfRequest<Success> {
  readonly successStatus: Success
  readonly instruction: Instruction
  /** The operation that decides the response. Default: `effectiveOperation`. */
  readonly effective?: (aggregate: TransactionAggregate, operationId: string) => Operation
}

/** Requests the outcome of an open operation from the provider, or sends the operation again. */
export function resumeOperation(deps: Deps, execution: Execution): Promise<Recorded> {
  return executeOperation(deps, execution, instructionToResume(execution.operation, deps.now()))
}

/**
 * After a crash, a void or the capture of an authorization with capture may not have been sent: it is sent (again),
 * since the provider accepts its id once. An authorization that waits for the payer is canceled once its time is over.
 * The outcome of any other operation is requested.
 */
export function instructionToResume(operation: Resumable, now: Date): Instruction {
  const { type, stage, state, voidRequest } = operation
  if (mustCancel(operation, now)) return { kind: 'cancel', reason: voidRequest === null ? 'expired' : 'requested' }
  const mayBeUnsent = (type === 'void' || stage === 'capture') && state === 'in_progress'
  return mayBeUnsent ? { kind: 'execute', paymentDetails: null } : { kind: 'sync' }
}

type Resumable = Pick<Operation, 'type' | 'stage' | 'state' | 'action' | 'voidRequest'>

async function sendAndRecord(
  deps: Deps,
  { aggregate, operation, orchestrator }: Execution,
  instruction: Instruction,
  reply: RequestReply | null,
): Promise<Recorded> {
  const { tenantId, businessUnitId, paymentOrchestratorId, currency } = aggregate.transaction
  const authorized = aggregate.operations.find(({ type, state }) => type === 'authorize' && state === 'succeeded')
  const authorizationId = operation.type === 'authorize' ? operation.id : (authorized?.id ?? operation.id)
  const outcome = await outcomeOf(deps, {
    operation,
    businessUnitId,
    paymentOrchestratorId,
    orchestrator,
    currency,
    authorizationId,
    authorizationReference: authorized?.providerReference ?? null,
    instruction,
    storeAccount: (name) => deps.db.inTenant(tenantId, (tx) => storeAccount(tx, tenantId, operation.id, name)),
  })
  const sent = sentBy(instruction, operation)
  const recorded = await recordAsKnown(deps, sent, { outcome }, { aggregate, operation }, reply)
  if (recorded !== undefined) return recorded
  return deps.db.inTenant(tenantId, async (tx) => {
    if (reply !== null) await lockIdempotencyKey(tx, reply.caller)
    const last = await recordOutcome(tx, deps, sent, { outcome })
    if (reply !== null && isReplyFinal(last, reply)) await finish(tx, reply.caller, reply.of(last))
    return last
  })
}

/** Without an amount, the provider has nothing to do. */
async function outcomeOf({ provider }: Pick<Deps, 'provider'>, request: ProviderRequest): Promise<Outcome> {
  const { operation, currency } = request
  if (operation.amount > 0) return provider.send(request)
  return { kind: 'succeeded', providerReference: null, amount: 0, currency }
}

function sentBy({ kind }: Instruction, { id, tenantId, transactionId, attemptCount }: Operation): SentOperation {
  const sent = { id, tenantId, transactionId }
  return kind === 'execute' ? { ...sent, executedAttempt: attemptCount } : sent
}
