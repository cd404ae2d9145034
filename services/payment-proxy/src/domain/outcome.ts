import { formatAmount } from '@payments/contracts/grammar/currency'
import type { PaymentAction, PaymentAuthentication } from '@payments/contracts/nouns/transaction'
import { actionAfter, isOpen, nextAttemptAt, type Operation, type OperationError } from './operation.ts'
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
      /** Of an authorization, where the payer was authenticated. */
      readonly authentication?: PaymentAuthentication
    }
  | {
      readonly kind: 'declined'
      readonly providerReference: string | null
      readonly declineCode: string
      readonly retryable: boolean
      readonly providerCode: string | null
      readonly authentication?: PaymentAuthentication
    }
  /** Of an authorization: the payer must confirm the payment at their bank. */
  | { readonly kind: 'action_required'; readonly providerReference: string | null; readonly action: PaymentAction }
  /** The provider received the operation and reports the outcome later. */
  | { readonly kind: 'pending'; readonly providerReference: string | null }
  /**
   * Without effect: the provider provably never received the operation. `isOfOperation`: because of the operation
   * itself, so it is no failure of the provider.
   */
  | { readonly kind: 'not_attempted'; readonly reason: string; readonly isOfOperation?: boolean }
  /** Everything else. A sync with the provider resolves it, never a timer. */
  | { readonly kind: 'unknown'; readonly reason: string }

/** An outcome that a provider can report about an operation that it received. */
export type KnownOutcome = Exclude<Outcome, { kind: 'not_attempted' | 'unknown' }>

export type ReportedOutcome = KnownOutcome | ReportedChange

/** The event does not have the whole outcome, so a sync reads it. */
interface ReportedChange {
  readonly kind: 'changed'
  readonly providerReference: string | null
  /** The part of the outcome that the event has, to be compared with the recorded one. */
  readonly seen?: KnownOutcome
}

/** The outcome of an operation without an amount: the provider has nothing to do. */
export function withoutAmount(currency: string): KnownOutcome {
  return { kind: 'succeeded', providerReference: null, amount: 0, currency }
}

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

type Changes = Pick<
  Operation,
  'state' | 'providerReference' | 'error' | 'openReason' | 'action' | 'authentication' | 'dueAt' | 'completedAt'
> &
  Partial<Pick<Operation, 'pendingReportedAt'>>

/** The operation after the provider reported this outcome. An operation that has ended changes by a reversal only. */
export function afterOutcome(operation: Operation, outcome: Outcome, now: Date): Operation {
  if (isOpen(operation)) return { ...operation, ...decideChanges(operation, outcome, now) }
  return isReversal(operation, outcome) ? reverseRefund(operation, outcome, now) : operation
}

type Decline = Extract<Outcome, { kind: 'declined' }>

function isReversal({ type, state }: Operation, outcome: Outcome): outcome is Decline {
  return type === 'refund' && state === 'succeeded' && outcome.kind === 'declined'
}

function reverseRefund(operation: Operation, outcome: Decline, now: Date): Operation {
  return { ...operation, state: 'reversed', error: toError(outcome), completedAt: now }
}

function toError({ declineCode, retryable, providerCode }: Decline): OperationError {
  return { code: 'payment_declined', decline_code: declineCode, retryable, provider_code: providerCode }
}

function decideChanges(operation: Operation, outcome: Outcome, now: Date): Changes {
  const { action } = operation
  const providerReference =
    ('providerReference' in outcome ? outcome.providerReference : null) ?? operation.providerReference
  const authentication = ('authentication' in outcome ? outcome.authentication : null) ?? operation.authentication
  const ended = { providerReference, openReason: null, action: null, authentication, dueAt: null, completedAt: now }
  const dueAt = nextAttemptAt(operation, now)
  const open = { providerReference, error: null, action, authentication, dueAt, completedAt: null }
  switch (outcome.kind) {
    case 'succeeded':
      return { ...ended, state: 'succeeded', error: null }
    case 'declined':
      return { ...ended, state: 'declined', error: toError(outcome) }
    case 'not_attempted': {
      const error = { code: 'provider_unreachable', decline_code: null, retryable: true, provider_code: null }
      return { ...ended, state: 'not_attempted', error }
    }
    case 'action_required': {
      const wanted = actionAfter(operation, outcome.action)
      return {
        ...open,
        // After the time of the payer, the provider should have canceled.
        state: Date.parse(wanted.expires_at) > now.getTime() ? 'action_required' : 'unknown',
        action: wanted,
        dueAt: capAtExpiry(dueAt, wanted, now),
        openReason: 'the payer has to confirm the payment at their bank',
      }
    }
    case 'pending':
      return {
        ...open,
        state: 'pending',
        pendingReportedAt: now,
        dueAt: action === null ? dueAt : capAtExpiry(dueAt, action, now),
        openReason: 'the provider reports the outcome later',
      }
    case 'unknown': {
      const state = stateWithoutReport(operation, now)
      const untilEnd = state === 'action_required' && action !== null ? capAtExpiry(dueAt, action, now) : dueAt
      return { ...open, state, dueAt: untilEnd, openReason: outcome.reason }
    }
  }
}

/** A provider that reported the operation as pending, or as waiting for the payer, and now reports nothing has it. */
function stateWithoutReport({ state, action }: Operation, now: Date): 'action_required' | 'pending' | 'unknown' {
  if (state === 'pending') return 'pending'
  const hasTime = action !== null && Date.parse(action.expires_at) > now.getTime()
  return hasTime && state !== 'unknown' ? 'action_required' : 'unknown'
}

/** The next sync, or the end of the time of the payer if that comes first. */
function capAtExpiry(syncAt: Date, { expires_at }: PaymentAction, now: Date): Date {
  const expiresAt = new Date(expires_at)
  return expiresAt > now && expiresAt < syncAt ? expiresAt : syncAt
}

/** The state of an operation as reports of providers name it. A payment that waits for the payer is pending. */
export function reportedState({ kind }: KnownOutcome): 'succeeded' | 'declined' | 'pending' {
  return kind === 'action_required' ? 'pending' : kind
}
