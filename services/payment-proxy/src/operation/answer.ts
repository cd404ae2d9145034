import type { Stored } from '@payments/chassis/idempotency'
import { problems, type Transaction as TransactionReply } from '@payments/contracts/payment-proxy'
import type { Operation } from '../domain/operation.ts'
import { type Account, presentTransaction } from '../domain/transaction.ts'

/** What a request says when its operation succeeded: it moved something, or it made something. */
export type DoneStatus = 200 | 201

export type Answer<Done extends DoneStatus = DoneStatus> = { status: Done | 202; body: TransactionReply }

/** What a request is told about the operation it began: done, declined, not sent, or not yet known. */
export function answerOf(account: Account, operation: Operation, done: DoneStatus, now: Date): Stored {
  const body = presentTransaction(account, now)
  switch (operation.state) {
    case 'succeeded':
      return { kind: 'reply', value: { status: done, body } }
    case 'declined':
      return refusal(problems.payment_declined, operation)
    case 'not_attempted':
      return refusal(problems.provider_unreachable, operation)
    case 'in_progress':
    case 'pending':
    case 'unknown':
      return { kind: 'reply', value: { status: 202, body } }
  }
}

/** Kept for replays. What is not settled is answered anew each time, and what never happened can be tried again. */
export function isRemembered({ state }: Operation): boolean {
  return state === 'succeeded' || state === 'declined'
}

function refusal(
  { code, status, title }: { code: string; status: number; title: string },
  operation: Operation,
): Stored {
  const { error, stage, type, transactionId, id } = operation
  const extensions = {
    transaction_id: transactionId,
    operation_id: id,
    decline_code: error?.decline_code ?? null,
    retryable: error?.retryable ?? false,
    provider_code: error?.provider_code ?? null,
    ...(stage === null ? {} : { stage }),
  }
  const reason = error?.decline_code == null ? '' : `: ${error.decline_code}`
  const verb = operation.state === 'declined' ? 'was declined' : 'was not sent to the provider'
  return { kind: 'problem', code, status, title, options: { detail: `The ${type} ${verb}${reason}`, extensions } }
}
