import type { RequestResult } from '@payments/chassis/request/idempotency'
import type { Transaction as TransactionReply } from '@payments/contracts/nouns/transaction'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { failureMembers, isOpen, type Operation } from '../domain/operation.ts'
import { presentTransaction, requireOperation, type TransactionAggregate } from '../domain/transaction.ts'

/** Status of a request whose operation succeeded: 201 when the request also created the transaction. */
export type SuccessStatus = 200 | 201

export type TransactionResponse<Success extends SuccessStatus = SuccessStatus> = {
  status: Success | 202
  body: TransactionReply
}

/** Response to the request that started the operation: succeeded, declined (402), not sent (502) or open (202). */
export function toResult(
  aggregate: TransactionAggregate,
  operation: Operation,
  successStatus: SuccessStatus,
  now: Date,
): RequestResult {
  const body = presentTransaction(aggregate, now)
  switch (operation.state) {
    case 'succeeded':
      return { kind: 'reply', value: { status: successStatus, body } }
    case 'declined':
    case 'reversed':
      return problemResponse(problems.payment_declined, operation)
    case 'not_attempted':
      return problemResponse(problems.provider_unreachable, operation)
    case 'in_progress':
    case 'action_required':
    case 'pending':
    case 'unknown':
      return { kind: 'reply', value: { status: 202, body } }
  }
}

/** The transaction as it is now: 200 when no operation is open, else 202. */
export function currentResponse(aggregate: TransactionAggregate, now: Date): TransactionResponse<200> {
  return { status: aggregate.operations.some(isOpen) ? 202 : 200, body: presentTransaction(aggregate, now) }
}

/** Only final responses are stored for replays. An open operation is read again, an unsent one can be retried. */
export function isFinal({ state }: Operation): boolean {
  return state === 'succeeded' || state === 'declined' || state === 'reversed'
}

function problemResponse(
  { code, status, title }: { code: string; status: number; title: string },
  operation: Operation,
): RequestResult {
  const { error, type } = operation
  const reason = error?.decline_code == null ? '' : `: ${error.decline_code}`
  const detail =
    operation.state === 'not_attempted'
      ? `The ${type} was not sent to the provider${reason}`
      : `The provider declined the ${type}${reason}`
  return { kind: 'problem', code, status, title, options: { detail, extensions: failureMembers(operation) } }
}

/**
 * The operation whose state decides the response: the started operation, or the capture that follows it in an
 * authorization with capture.
 */
export function effectiveOperation(aggregate: TransactionAggregate, operationId: string): Operation {
  const { operations } = aggregate
  const started = requireOperation(aggregate, operationId)
  const isFollowed = started.stage === 'authorize' && started.state === 'succeeded'
  const capture = operations.find(({ number, stage }) => number === started.number + 1 && stage === 'capture')
  return (isFollowed ? capture : undefined) ?? started
}

/** As `effectiveOperation`, for a void: where it waited for the end of an authorization, the void that follows. */
export function effectiveVoid(aggregate: TransactionAggregate, operationId: string): Operation {
  const { operations } = aggregate
  const started = requireOperation(aggregate, operationId)
  const following = operations.find((one) => one.number === started.number + 1 && one.type === 'void')
  return (started.type === 'authorize' ? following : undefined) ?? started
}
