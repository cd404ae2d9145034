import type { ConnectorName } from '@payments/contracts/nouns/payment-connectors'
import type { CheckReason } from '@payments/contracts/services/payment-proxy/orchestrators'
import type { OperationType } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { ProviderEvent } from '../domain/provider-event.ts'

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
  readonly type: ConnectorName
  /** Whether requests pass `provider-gates.ts`: a bound of requests in flight, and a circuit that failures open. */
  readonly passesGates: boolean
  /** Whether the token has the form of a token of the provider. Makes no call. */
  recognizes(token: string): boolean
  execute(command: Execution, signal: AbortSignal): Promise<Outcome>
  /** Outcome of an earlier operation. An operation that the provider never received is `not_attempted` for good. */
  sync(command: Command, signal: AbortSignal): Promise<Outcome>
  /**
   * Ends an authorization that waits for the payer. Its outcome counts: a payment that the payer has confirmed is a
   * payment. Repeated, a cancellation has no further effect.
   */
  cancel(command: Command & { readonly reason: CancelReason }, signal: AbortSignal): Promise<Outcome>
  /** Whether the provider accepts the credentials, by a read without an effect. A throw is an unexpected response. */
  check(account: Account, signal: AbortSignal): Promise<CheckReason>
  /** Verifies and reads a provider webhook. Absent: the provider sends none. */
  parseWebhook?(account: Account, request: WebhookRequest): WebhookReading
  /** A page of the operations that the provider received at `from` or later and before `to`, for reconciliation. */
  listOperations?(account: Account, window: ReportWindow, signal: AbortSignal): Promise<ReportPage>
}

/** expired: the payer did not confirm in time · requested: a void, or the payer · unusable: an address of no use. */
export type CancelReason = 'expired' | 'requested' | 'unusable'

/** A payment orchestrator with its credentials. Never logged. */
export interface Account {
  readonly tenantId: string
  readonly businessUnitId: string
  readonly paymentOrchestratorId: string
  readonly connector: ConnectorName
  readonly mode: 'test' | 'live'
  readonly gatewayUrl: string | null
  readonly settings: Readonly<Record<string, unknown>>
  readonly credentials: Readonly<Record<string, string>>
  /** `nameAccount` of what the payment orchestrator has now. */
  readonly name: string
}

/** `provider-calls.ts` sends an operation only within this time after `startedAt`. Later it only reads the outcome. */
export const sentWithinMs = 5 * 60 * 1000

/** How the payer pays. */
export interface PaymentDetails {
  readonly token: string
  readonly paymentMethod: 'CREDIT_CARD' | 'ACH'
  /** Where the payer returns to from their bank. Null: what needs an action of the payer is declined. */
  readonly returnUrl: string | null
}

/** A request to the provider about one operation. Amounts in minor units. */
export interface Command {
  readonly account: Account
  readonly operationId: string
  readonly type: OperationType
  /** When the operation was first sent or could have been. It is never sent later than `sentWithinMs` after. */
  readonly startedAt: Date
  /** The operation that authorized the payment. An authorization names itself. */
  readonly authorizationId: string
  /** Reference of the provider for that authorization. Null while unknown. */
  readonly authorizationReference: string | null
  /** Reference of the provider for this operation. Null while unknown. */
  readonly providerReference: string | null
  readonly amount: number
  /** The part that a final capture releases instead of capturing. */
  readonly amountReleased: number
  readonly currency: string
}

/** An authorization has the payment details. */
export type Execution = Command &
  (
    | { readonly type: 'authorize'; readonly paymentDetails: PaymentDetails }
    | { readonly type: Exclude<OperationType, 'authorize'>; readonly paymentDetails?: undefined }
  )

/** A request of a provider, as received. */
export interface WebhookRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
  readonly receivedAt: Date
}

/**
 * event: what the provider reports about one operation · ignored: a genuine event without meaning for an operation ·
 * rejected: no valid signature, or no readable event.
 */
export type WebhookReading =
  | { readonly kind: 'event'; readonly event: ReportedEvent }
  | { readonly kind: 'ignored'; readonly eventId: string }
  | { readonly kind: 'rejected'; readonly reason: string }

/** The part of an event that the provider reports. */
export type ReportedEvent = Pick<ProviderEvent, 'eventId' | 'operationId' | 'providerReference' | 'outcome'>

export interface ReportWindow {
  readonly from: Date
  readonly to: Date
  readonly cursor: string | null
}

export interface ReportPage {
  readonly operations: readonly ReportedOperation[]
  readonly next: string | null
}

/** An operation as the provider recorded it. */
export interface ReportedOperation {
  readonly operationId: string | null
  readonly providerReference: string | null
  readonly type: OperationType
  readonly state: 'succeeded' | 'declined' | 'pending'
  readonly amount: number
  readonly currency: string
  readonly receivedAt: Date
}
