import type { OperationType } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'

/**
 * A connector calls one kind of payment provider.
 *
 * A connector must:
 *
 * - pass `operationId` to the provider as idempotency key, so that a repeated command takes effect once;
 * - return `not_attempted` only when nothing reached the provider;
 * - stop its calls when the signal aborts.
 *
 * A connector may throw: `provider.ts` turns every error into the outcome `unknown`.
 */
export interface Connector {
  readonly type: string
  /** Whether the token has the form of a token of the provider. Makes no call. */
  recognizes(token: string): boolean
  authorize(command: Command & PaymentDetails, signal: AbortSignal): Promise<Outcome>
  capture(command: FollowUp & { readonly amountReleased: number }, signal: AbortSignal): Promise<Outcome>
  void(command: FollowUp, signal: AbortSignal): Promise<Outcome>
  refund(command: FollowUp, signal: AbortSignal): Promise<Outcome>
  /** Outcome of an earlier operation. An operation that the provider never received is `not_attempted` for good. */
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

/** A command about an earlier authorization, named by the id of its operation. */
export interface FollowUp extends Command {
  readonly authorizationId: string
}
