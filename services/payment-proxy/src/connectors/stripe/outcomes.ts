import type { KnownOutcome } from '../../domain/outcome.ts'
import type { PaymentDetails } from '../connector.ts'
import { declined, declineOf } from './declines.ts'
import type { PaymentIntent, Refund } from './objects.ts'

/** Amounts in ISO 4217 minor units, as Stripe's, except for the currencies that `unitViolation` names. */
const money = (amount: number, currency: string) => ({ amount, currency: currency.toUpperCase() })

/** The outcome of the authorization that created the PaymentIntent. Null: its status has no meaning for it. */
export function authorizationOf(intent: PaymentIntent): KnownOutcome | null {
  switch (intent.status) {
    case 'requires_capture':
    case 'succeeded': {
      const providerReference = intent.id
      const done = { kind: 'succeeded', providerReference, ...money(intent.amount, intent.currency) } as const
      const paymentMethod = paymentMethodOf(intent)
      return paymentMethod === null ? done : { ...done, paymentMethod }
    }
    case 'requires_payment_method':
      return intent.last_payment_error == null ? null : declineOf(intent.last_payment_error, intent.id)
    case 'requires_action':
      return declined(intent.id, 'authentication_required', 'requires_action')
    case 'processing':
      return { kind: 'pending', providerReference: intent.id }
    case 'canceled':
      return declined(intent.id, 'transaction_not_permitted', 'canceled')
    default:
      return null
  }
}

function paymentMethodOf({ latest_charge: charge }: PaymentIntent) {
  const card = typeof charge === 'object' ? charge?.payment_method_details?.card : null
  if (card?.brand == null || card.last4 == null) return null
  const type: PaymentDetails['paymentMethod'] = 'CREDIT_CARD'
  return { type, brand: card.brand, last4: card.last4 }
}

/** The outcome of the only capture of a PaymentIntent. Null: it is not captured. */
export function captureOf(intent: PaymentIntent): KnownOutcome | null {
  if (intent.status !== 'succeeded') return null
  return { kind: 'succeeded', providerReference: intent.id, ...money(intent.amount_received, intent.currency) }
}

/** The outcome of a void. Null: the PaymentIntent is not canceled. */
export function voidOf(intent: PaymentIntent): KnownOutcome | null {
  if (intent.status !== 'canceled') return null
  return { kind: 'succeeded', providerReference: intent.id, ...money(intent.amount, intent.currency) }
}

/** A refund can fail after it succeeded. */
export function refundOf({ id, status, amount, currency, failure_reason }: Refund): KnownOutcome {
  if (status === 'succeeded') return { kind: 'succeeded', providerReference: id, ...money(amount, currency) }
  if (status === 'failed' || status === 'canceled') {
    return declined(id, 'processing_error', failure_reason ?? status)
  }
  return { kind: 'pending', providerReference: id }
}

const otherUnit = new Set(['ISK', 'UGX', 'MGA'])
const threeDecimals = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** Why Stripe would take the amount for another one, or reject it. Undefined: it takes the amount as it stands. */
export function unitViolation(amount: number, currency: string): KnownOutcome | undefined {
  if (otherUnit.has(currency)) return declined(null, 'currency_not_supported', 'minor_unit_differs')
  if (threeDecimals.has(currency) && amount % 10 !== 0) {
    return declined(null, 'amount_limit_exceeded', 'amount_not_multiple_of_10')
  }
  return undefined
}
