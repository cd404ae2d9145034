import type { OperationType } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'

/**
 * A connector speaks to one kind of payment provider.
 *
 * What it owes: each command carries the id of a durable operation of ours, which it hands to the provider as idempotency
 * key: the same command twice takes effect once. It answers `not_attempted` only where it can prove that nothing reached
 * the provider. It stops what it can when the signal aborts.
 * What it need not do: catch. Its host (`provider.ts`) turns whatever it throws into `unknown`.
 */
export interface Connector {
  readonly type: string
  /** Whether the token is one of the provider's, as far as can be told without asking. */
  recognizes(token: string): boolean
  authorize(command: Command & PaymentDetails, signal: AbortSignal): Promise<Outcome>
  capture(command: FollowUp & { readonly amountReleased: number }, signal: AbortSignal): Promise<Outcome>
  void(command: FollowUp, signal: AbortSignal): Promise<Outcome>
  refund(command: FollowUp, signal: AbortSignal): Promise<Outcome>
  /** How an operation ended that was sent before. One the provider never got is `not_attempted`, and stays so. */
  sync(command: FollowUp & { readonly type: OperationType }, signal: AbortSignal): Promise<Outcome>
}

export interface PaymentDetails {
  readonly token: string
  readonly paymentMethod: 'CREDIT_CARD' | 'ACH'
}

/** Amounts in minor units. */
export interface Command {
  readonly tenantId: string
  readonly operationId: string
  readonly amount: number
  readonly currency: string
}

/** What concerns an earlier authorization: the id of that operation of ours. */
export interface FollowUp extends Command {
  readonly authorizationId: string
}
