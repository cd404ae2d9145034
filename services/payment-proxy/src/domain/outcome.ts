import { nextSyncAt, type Operation } from './operation.ts'
import type { PaymentMethod } from './transaction.ts'

/** Outcome of a provider request. */
export type Outcome =
  | {
      readonly kind: 'succeeded'
      readonly providerReference: string | null
      readonly amount: number
      readonly currency: string
      readonly paymentMethod?: PaymentMethod
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

type Changes = Pick<Operation, 'state' | 'providerReference' | 'error' | 'dueAt' | 'completedAt'>

/** The open operation after a provider request with this outcome. */
export function afterOutcome(operation: Operation, outcome: Outcome, now: Date): Operation {
  return { ...operation, ...changesOf(operation, outcome, now) }
}

function changesOf(operation: Operation, outcome: Outcome, now: Date): Changes {
  const { providerReference } = operation
  const ended = { dueAt: null, completedAt: now }
  const open = { error: null, dueAt: nextSyncAt(operation, now), completedAt: null }
  switch (outcome.kind) {
    case 'succeeded':
      return { ...ended, state: 'succeeded', providerReference: outcome.providerReference, error: null }
    case 'declined': {
      const { declineCode, retryable, providerCode } = outcome
      const error = { code: 'payment_declined', decline_code: declineCode, retryable, provider_code: providerCode }
      return { ...ended, state: 'declined', providerReference: outcome.providerReference, error }
    }
    case 'not_attempted': {
      const error = { code: 'provider_unreachable', decline_code: null, retryable: true, provider_code: null }
      return { ...ended, state: 'not_attempted', providerReference, error }
    }
    case 'pending':
      return { ...open, state: 'pending', providerReference: outcome.providerReference ?? providerReference }
    case 'unknown':
      // A provider that reported "pending" and now reports nothing still has the operation.
      return { ...open, state: operation.state === 'pending' ? 'pending' : 'unknown', providerReference }
  }
}
