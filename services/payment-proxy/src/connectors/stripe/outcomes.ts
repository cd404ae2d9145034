import type { PaymentAuthentication } from '@payments/contracts/nouns/transaction'
import type { KnownOutcome } from '../../domain/outcome.ts'
import type { PaymentDetails } from '../connector.ts'
import { buildDecline, type DeclineCode } from '../decline-code.ts'
import { toDecline } from './declines.ts'
import type { PaymentIntent, Refund } from './objects.ts'

/** Amounts in ISO 4217 minor units, as Stripe's, except for the currencies that `unitViolation` names. */
export const money = (amount: number, currency: string) => ({ amount, currency: currency.toUpperCase() })

/** The outcome of the authorization that created the PaymentIntent. Null: its status has no meaning for it. */
export function authorizationOutcome(intent: PaymentIntent): KnownOutcome | null {
  switch (intent.status) {
    case 'requires_capture':
    case 'succeeded': {
      const providerReference = intent.id
      const done = { kind: 'succeeded', providerReference, ...money(intent.amount, intent.currency) } as const
      const paymentMethod = readPaymentMethod(intent)
      const authenticated = { ...done, ...readAuthentication(intent) }
      return paymentMethod === null ? authenticated : { ...authenticated, paymentMethod }
    }
    case 'requires_payment_method':
      return failureOutcome(intent)
    case 'requires_action':
      return actionOutcome(intent)
    case 'processing':
      return { kind: 'pending', providerReference: intent.id }
    case 'canceled':
      return failureOutcome(intent) ?? cancellationOutcome(intent)
    default:
      return null
  }
}

function failureOutcome(intent: PaymentIntent): KnownOutcome | null {
  const { id, last_payment_error: error } = intent
  return error == null ? null : { ...toDecline(error, id), ...readAuthentication(intent) }
}

/** Stripe names no end of the time for an action. */
const actionSeconds = 30 * 60

function actionOutcome({ id: providerReference, created, next_action: next }: PaymentIntent): KnownOutcome | null {
  const url = next?.redirect_to_url?.url
  if (next?.type !== 'redirect_to_url' || url == null) return null
  const expires_at = new Date((created + actionSeconds) * 1000).toISOString()
  return { kind: 'action_required', providerReference, action: { type: 'redirect', url, expires_at } }
}

/** The reasons that the connector gives for the cancellation of a PaymentIntent that waits for the payer. */
const cancellations: Readonly<Record<string, DeclineCode>> = {
  abandoned: 'authentication_expired',
  requested_by_customer: 'authentication_canceled',
}

function cancellationOutcome({ id, cancellation_reason: reason }: PaymentIntent): KnownOutcome {
  return buildDecline(id, cancellations[reason ?? ''] ?? 'transaction_not_permitted', reason ?? 'canceled')
}

/** Stripe's results of 3-D Secure. */
const results: Readonly<Record<string, PaymentAuthentication['result']>> = {
  authenticated: 'authenticated',
  attempt_acknowledged: 'attempted',
  exempted: 'exempted',
  failed: 'failed',
  not_supported: 'unavailable',
  processing_error: 'unavailable',
}

function readAuthentication(intent: PaymentIntent): { readonly authentication?: PaymentAuthentication } {
  const { version, result, electronic_commerce_indicator, transaction_id } = findCard(intent)?.three_d_secure ?? {}
  const known = results[result ?? '']
  if (known === undefined) return {}
  return {
    authentication: {
      version: version ?? null,
      result: known,
      eci: electronic_commerce_indicator ?? null,
      transaction_id: transaction_id ?? null,
    },
  }
}

/** The card of the charge, where the charge is expanded: not in webhooks. */
function findCard({ latest_charge: charge }: PaymentIntent) {
  return typeof charge === 'object' ? charge?.payment_method_details?.card : null
}

function readPaymentMethod(intent: PaymentIntent) {
  const card = findCard(intent)
  if (card?.last4 == null) return null
  const type: PaymentDetails['paymentMethod'] = 'CREDIT_CARD'
  return { type, brand: card.brand ?? 'unknown', last4: card.last4 }
}

/** The outcome of the only capture of a PaymentIntent. Null: it is not captured. */
export function captureOutcome(intent: PaymentIntent): KnownOutcome | null {
  if (intent.status !== 'succeeded') return null
  return { kind: 'succeeded', providerReference: intent.id, ...money(intent.amount_received, intent.currency) }
}

/** The outcome of a void. Null: the PaymentIntent is not canceled. */
export function voidOutcome(intent: PaymentIntent): KnownOutcome | null {
  if (intent.status !== 'canceled') return null
  return { kind: 'succeeded', providerReference: intent.id, ...money(intent.amount, intent.currency) }
}

/** A refund can fail after it succeeded. */
export function refundOutcome({ id, status, amount, currency, failure_reason }: Refund): KnownOutcome {
  if (status === 'succeeded') return { kind: 'succeeded', providerReference: id, ...money(amount, currency) }
  if (status === 'failed' || status === 'canceled') {
    return buildDecline(id, 'processing_error', failure_reason ?? status)
  }
  return { kind: 'pending', providerReference: id }
}

const otherUnit = new Set(['ISK', 'UGX', 'MGA'])
const threeDecimals = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** Why Stripe would take the amount for another one, or reject it. Undefined: it takes the amount as it stands. */
export function unitViolation(amount: number, currency: string): KnownOutcome | undefined {
  if (otherUnit.has(currency)) return buildDecline(null, 'currency_not_supported', 'minor_unit_differs')
  if (threeDecimals.has(currency) && amount % 10 !== 0) {
    return buildDecline(null, 'amount_limit_exceeded', 'amount_not_multiple_of_10')
  }
  return undefined
}
