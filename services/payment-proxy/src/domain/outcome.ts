import { formatAmount } from '@payments/contracts/grammar/currency'
import { isOpen, nextSyncAt, type Operation, type OperationError } from './operation.ts'
import type { PaymentMethod } from './transaction.ts'

export type Outcome =
  | {
      readonly kind: 'succeeded'
      readonly providerReference: string | null
      readonly amount: number
      readonly currency: string
      readonly paymentMethod?: PaymentMethod
      /** Of an authorization. Absent: the provider does not report it. */
      readonly authorizationExpiresAt?: Date
    }
  | {
      readonly kind: 'declined'
      readonly providerReference: string | null
      readonly declineCode: string
      readonly retryable: boolean
      readonly providerCode: string | null
    }
  /** The provider received the operation and reports the outcome later. */
  | { readonly kind: 'pending'; readonly providerReference: string | null }
  /** Without effect: the provider provably never received the operation. */
  | { readonly kind: 'not_attempted'; readonly reason: string }
  /** Everything else. A sync with the provider resolves it, never a timer. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** An outcome that a provider can report about an operation that it received. */
export type KnownOutcome = Exclude<Outcome, { kind: 'not_attempted' | 'unknown' }>

/** A success with another amount or currency is unknown. */
export function requireSameAmount(outcome: Outcome, amount: number, currency: string): Outcome {
  if (outcome.kind !== 'succeeded' || (outcome.amount === amount && outcome.currency === currency)) return outcome
  const reported = formatAmount(outcome.amount, outcome.currency)
  const reason = `the provider reported ${reported} instead of ${formatAmount(amount, currency)}`
  return { kind: 'unknown', reason }
}

/** Whether an outcome says the opposite of the recorded one. A success before a reversal does not. */
export function contradicts({ kind }: Outcome, { state }: Pick<Operation, 'state'>): boolean {
  if (kind === 'succeeded') return state === 'declined' || state === 'not_attempted'
  return state === 'succeeded' && (kind === 'declined' || kind === 'not_attempted')
}

type Changes = Pick<Operation, 'state' | 'providerReference' | 'error' | 'openReason' | 'dueAt' | 'completedAt'>

/** The operation after the provider reported this outcome. An operation that has ended changes by a reversal only. */
export function afterOutcome(operation: Operation, outcome: Outcome, now: Date): Operation {
  if (isOpen(operation)) return { ...operation, ...changesOf(operation, outcome, now) }
  return isReversal(operation, outcome) ? reversed(operation, outcome, now) : operation
}

type Decline = Extract<Outcome, { kind: 'declined' }>

function isReversal({ type, state }: Operation, outcome: Outcome): outcome is Decline {
  return type === 'refund' && state === 'succeeded' && outcome.kind === 'declined'
}

function reversed(operation: Operation, outcome: Decline, now: Date): Operation {
  return { ...operation, state: 'reversed', error: errorOf(outcome), completedAt: now }
}

function errorOf({ declineCode, retryable, providerCode }: Decline): OperationError {
  return { code: 'payment_declined', decline_code: declineCode, retryable, provider_code: providerCode }
}

function changesOf(operation: Operation, outcome: Outcome, now: Date): Changes {
  const { providerReference } = operation
  const ended = { openReason: null, dueAt: null, completedAt: now }
  const open = { error: null, dueAt: nextSyncAt(operation, now), completedAt: null }
  switch (outcome.kind) {
    case 'succeeded':
      return {
        ...ended,
        state: 'succeeded',
        providerReference: outcome.providerReference ?? providerReference,
        error: null,
      }
    case 'declined':
      return {
        ...ended,
        state: 'declined',
        providerReference: outcome.providerReference ?? providerReference,
        error: errorOf(outcome),
      }
    case 'not_attempted': {
      const error = { code: 'provider_unreachable', decline_code: null, retryable: true, provider_code: null }
      return { ...ended, state: 'not_attempted', providerReference, error }
    }
    case 'pending':
      return {
        ...open,
        state: 'pending',
        openReason: 'the provider reports the outcome later',
        providerReference: outcome.providerReference ?? providerReference,
      }
    case 'unknown':
      // A provider that reported "pending" and now reports nothing still has the operation.
      return {
        ...open,
        state: operation.state === 'pending' ? 'pending' : 'unknown',
        openReason: outcome.reason,
        providerReference,
      }
  }
}
