import { unwrapResult } from '@payments/chassis/request/idempotency'
import type { Instruction } from '../connectors/provider-request.ts'
import type { Deps } from '../deps.ts'
import { mustCancel, type Operation } from '../domain/operation.ts'
import { type Outcome, withoutAmount } from '../domain/outcome.ts'
import type { TransactionAggregate } from '../domain/transaction.ts'
import { storeAccountName } from '../store/operations.ts'
import { type ResultToStore, recordOutcome } from './record.ts'
import { effectiveOperation, isFinal, type SuccessStatus, type TransactionResponse, toResult } from './response.ts'
import { type LeasedOperation, type PaymentRequest, startForRequest } from './start.ts'

/**
 * **What it does.** Sends an instruction about an operation to the payment provider: execute, sync or cancel. Records
 * the outcome, and does both again for the capture or void that follows an authorization. Returns the transaction then.
 * The README of the service has the states and the proof.
 *
 * **Guarantees.** A sent operation takes effect once and ends once, with at most one event, and one more for the
 * reversal of a refund. A crash leaves an open row. An unknown outcome never counts as a failure: the transaction
 * rejects other operations until the provider reports.
 *
 * **Not guaranteed.** When the outcome is known.
 */
export async function instructProvider(
  deps: Deps,
  leased: LeasedOperation,
  instruction: Instruction,
  toStore?: ResultToStore,
): Promise<TransactionAggregate> {
  const { aggregate, next } = await sendAndRecord(deps, leased, instruction, toStore)
  if (next === null) return aggregate
  const following = { aggregate, operation: next, orchestrator: leased.orchestrator }
  return (await sendAndRecord(deps, following, { kind: 'execute', paymentDetails: null }, toStore)).aggregate
}

/**
 * Starts the operation of a request, executes it, and returns the response. Throws the problems of `startForRequest`,
 * payment_declined, provider_unreachable.
 */
export async function executeForRequest<Success extends SuccessStatus>(
  deps: Deps,
  transactionId: string | null,
  request: PaymentRequest<Success>,
): Promise<TransactionResponse<Success>> {
  const start = await startForRequest(deps, transactionId, request)
  if (start.kind === 'response') return unwrapResult(start.stored)
  const { caller, successStatus, paymentDetails, effective = effectiveOperation } = request
  const { operation } = start.leased
  const respond = (aggregate: TransactionAggregate) =>
    toResult(aggregate, effective(aggregate, operation.id), successStatus, deps.now())
  const finalResponse = (aggregate: TransactionAggregate) =>
    isFinal(effective(aggregate, operation.id)) ? respond(aggregate) : null
  const instruction: Instruction = mustCancel(operation, deps.now())
    ? { kind: 'cancel', reason: 'requested' }
    : { kind: 'execute', paymentDetails }
  return unwrapResult(respond(await instructProvider(deps, start.leased, instruction, { caller, finalResponse })))
}

/** Requests the outcome of an open operation from the provider, or sends the operation again. */
export function resumeOperation(deps: Deps, leased: LeasedOperation): Promise<TransactionAggregate> {
  return instructProvider(deps, leased, instructionToResume(leased.operation, deps.now()))
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

async function sendAndRecord(deps: Deps, leased: LeasedOperation, instruction: Instruction, toStore?: ResultToStore) {
  const { aggregate, operation } = leased
  const outcome = await sendOperation(deps, leased, instruction)
  const received = instruction.kind === 'execute' ? { outcome, executedAttempt: operation.attemptCount } : { outcome }
  return recordOutcome(deps, operation, received, { known: aggregate, toStore })
}

/** The outcome of the operation at the provider. */
export async function sendOperation(
  { db, providerCalls }: Deps,
  { aggregate, operation, orchestrator }: LeasedOperation,
  instruction: Instruction,
): Promise<Outcome> {
  const { transaction, operations } = aggregate
  if (operation.amount === 0) return withoutAmount(transaction.currency)
  const authorization = operations.find(({ type, state }) => type === 'authorize' && state === 'succeeded')
  const { tenantId, id } = operation
  const storeName = (name: string) => db.inTenant(tenantId, (tx) => storeAccountName(tx, tenantId, id, name))
  return providerCalls.send({
    operation,
    transaction,
    authorization,
    orchestrator,
    instruction,
    storeAccountName: storeName,
  })
}
