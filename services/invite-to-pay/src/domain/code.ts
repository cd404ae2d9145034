import type { Invitation } from '@payments/contracts/nouns/invitation'
import type { CodeWithLink } from '@payments/contracts/services/invite-to-pay/contract'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { CanceledBy, CodeStatus } from './code-state.ts'

/** A line of the order. */
export interface Item {
  readonly name: string
  readonly unit_amount: number
  readonly quantity: number
}

/** The latest failure. `kind` selects what the pay page says: nothing about a message. */
export interface CodeError {
  readonly kind: 'message' | 'declined' | 'failed' | 'unknown_token'
  readonly code: string
  readonly detail: string
}

/** Whether a payment was rejected while another operation of its transaction had no outcome. */
export const isOfOpenOperation = ({ kind, code }: CodeError): boolean =>
  kind === 'failed' && code === problems.operation_in_progress.code

/** The page of the bank at which a payer confirms a payment. */
export interface Confirmation {
  readonly url: string
  readonly expires_at: string
}

export interface CodeFacts {
  readonly id: string
  readonly tenantId: string
  readonly businessUnitId: string
  readonly transactionId: string
  readonly traceId: string
  readonly codeHash: Uint8Array<ArrayBuffer>
  readonly codeEncrypted: Uint8Array<ArrayBuffer>
  readonly status: CodeStatus
  readonly canceledBy: CanceledBy | null
  readonly amount: number
  readonly currency: string
  readonly capture: boolean
  readonly items: readonly Item[]
  readonly reference: string
  readonly paymentOrchestratorId: string
  readonly recipient: string
  readonly communicationType: 'EMAIL' | 'SMS'
  readonly templateId: string | null
  readonly communicationDetails: Invitation['communication_details']
  readonly expiresAt: Date
  readonly reminderAt: Date | null
  readonly returnUrl: string | null
  /** Of the invitation, or else of its transaction. */
  readonly locale: string | null
  /** Of the page with which the latest payment was submitted. */
  readonly payerLocale: string | null
  /** IANA name, of the browser of the latest payment. */
  readonly payerTimeZone: string | null
  /** Of the payment that completed the code. */
  readonly paymentBrand: string | null
  readonly paymentLast4: string | null
  /** When the payer submitted it. Null where it is not known. */
  readonly paidAt: Date | null
  readonly paymentId: string | null
  readonly claimedAt: Date | null
  /** Null unless the payment waits for the payer. */
  readonly confirmation: Confirmation | null
  readonly recoverCount: number
  readonly declineCount: number
  readonly resendCount: number
  readonly invitedAt: Date
  readonly lastSentAt: Date | null
  readonly communicationId: string | null
  readonly lastError: CodeError | null
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A code without its link: what is read, the payload of events, and what is stored for an Idempotency-Key. */
export type CodeSnapshot = Omit<CodeWithLink, 'url'>

export function presentSnapshot(code: CodeFacts): CodeSnapshot {
  const { lastError } = code
  return {
    id: code.id,
    object: 'invite',
    business_unit_id: code.businessUnitId,
    transaction_id: code.transactionId,
    status: code.status,
    canceled_by: code.canceledBy,
    amount: code.amount,
    currency: code.currency,
    capture: code.capture,
    recipient: code.recipient,
    communication_type: code.communicationType,
    template_id: code.templateId,
    communication_details: code.communicationDetails,
    expires_at: code.expiresAt.toISOString(),
    reminder_at: code.reminderAt?.toISOString() ?? null,
    return_url: code.returnUrl,
    locale: code.locale,
    resend_count: code.resendCount,
    last_sent_at: code.lastSentAt?.toISOString() ?? null,
    communication_id: code.communicationId,
    last_error: lastError === null ? null : { code: lastError.code, detail: lastError.detail },
    version: code.version,
    created_at: code.createdAt.toISOString(),
    updated_at: code.updatedAt.toISOString(),
  }
}
