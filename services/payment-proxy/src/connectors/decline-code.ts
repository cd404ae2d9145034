import type { Outcome } from '../domain/outcome.ts'

/** Reasons of a decline that version 1 of the HTTP protocol has. */
export const declineCodesOf1 = [
  'card_declined',
  'do_not_honor',
  'insufficient_funds',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'lost_or_stolen',
  'suspected_fraud',
  'transaction_not_permitted',
  'amount_limit_exceeded',
  'currency_not_supported',
  'authentication_required',
  'issuer_unavailable',
  'processing_error',
  'configuration_error',
  'token_invalid',
] as const

/** Reasons of a decline, the same for all connectors. */
export const declineCodes = [
  ...declineCodesOf1,
  /** The bank did not authenticate the payer, or the payer declined. */
  'authentication_failed',
  'authentication_expired',
  'authentication_canceled',
] as const

export type DeclineCode = (typeof declineCodes)[number]

const retryable: ReadonlySet<DeclineCode> = new Set(['insufficient_funds', 'issuer_unavailable', 'processing_error'])

export type Declined = Extract<Outcome, { kind: 'declined' }>

/** A decline, retryable where the same payment may succeed later. */
export function buildDecline(
  providerReference: string | null,
  declineCode: DeclineCode,
  providerCode: string | null,
): Declined {
  return { kind: 'declined', providerReference, declineCode, retryable: retryable.has(declineCode), providerCode }
}
