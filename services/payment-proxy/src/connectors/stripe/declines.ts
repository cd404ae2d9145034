import { buildDecline, type DeclineCode, type Declined } from '../decline-code.ts'
import type { Failure } from './objects.ts'

/** Stripe's decline codes, and codes of errors, that mean something more exact than card_declined. */
const codes: Readonly<Record<string, DeclineCode>> = {
  do_not_honor: 'do_not_honor',
  call_issuer: 'do_not_honor',
  no_action_taken: 'do_not_honor',
  do_not_try_again: 'do_not_honor',
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  invalid_expiry_month: 'expired_card',
  invalid_expiry_year: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  incorrect_number: 'incorrect_number',
  invalid_number: 'incorrect_number',
  invalid_account: 'incorrect_number',
  lost_card: 'lost_or_stolen',
  stolen_card: 'lost_or_stolen',
  pickup_card: 'lost_or_stolen',
  fraudulent: 'suspected_fraud',
  merchant_blacklist: 'suspected_fraud',
  security_violation: 'suspected_fraud',
  transaction_not_allowed: 'transaction_not_permitted',
  card_not_supported: 'transaction_not_permitted',
  restricted_card: 'transaction_not_permitted',
  service_not_allowed: 'transaction_not_permitted',
  not_permitted: 'transaction_not_permitted',
  charge_disputed: 'transaction_not_permitted',
  payment_intent_unexpected_state: 'transaction_not_permitted',
  card_velocity_exceeded: 'amount_limit_exceeded',
  withdrawal_count_limit_exceeded: 'amount_limit_exceeded',
  amount_too_large: 'amount_limit_exceeded',
  amount_too_small: 'amount_limit_exceeded',
  charge_already_refunded: 'amount_limit_exceeded',
  currency_not_supported: 'currency_not_supported',
  authentication_required: 'authentication_required',
  authentication_not_handled: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_failed',
  payment_intent_payment_attempt_expired: 'authentication_expired',
  issuer_not_available: 'issuer_unavailable',
  reenter_transaction: 'issuer_unavailable',
  try_again_later: 'issuer_unavailable',
  processing_error: 'processing_error',
  resource_missing: 'token_invalid',
  payment_method_unactivated: 'configuration_error',
}

/** A decline of the issuer: `decline_code` is more exact than `code`. */
export function toDecline(
  { type, code, decline_code }: Pick<Failure, 'type' | 'code' | 'decline_code'>,
  providerReference: string | null,
): Declined {
  const known = [decline_code, code].flatMap((one) => (one == null ? [] : [codes[one] ?? []])).flat()[0]
  const fallback = type === 'card_error' ? 'card_declined' : 'configuration_error'
  return buildDecline(providerReference, known ?? fallback, decline_code ?? code ?? null)
}
