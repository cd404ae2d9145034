import { randomUUID } from 'node:crypto'
import type { Outcome } from '../../domain/outcome.ts'
import type { CancelReason } from '../connector.ts'
import { buildDecline } from '../decline-code.ts'
import { isSuccess, requireSent } from '../provider-http.ts'
import type { StripeCalls } from './api.ts'
import { failure, mayReturn, type PaymentIntent, paymentIntent } from './objects.ts'
import { authorizationOutcome } from './outcomes.ts'

/** Stripe's name of a reason. The outcome is read from it later (`authorizationOutcome`). */
const reasons: Readonly<Record<CancelReason, string>> = {
  expired: 'abandoned',
  requested: 'requested_by_customer',
  unusable: 'requested_by_customer',
}

/**
 * The outcome of an authorization. One that must not be confirmed any more is canceled first: after a decline the payer
 * still has its client secret, and an action without a page has no end. Throws when Stripe reports no outcome.
 */
export async function settle(stripe: StripeCalls, intent: PaymentIntent): Promise<Outcome> {
  const decline = declineToSettle(intent)
  if (decline === null) return requireOutcome(authorizationOutcome(intent))
  const last = await cancelIntent(stripe, intent.id, 'unusable')
  if (last.status === 'canceled') return decline
  if (declineToSettle(last) !== null) throw new Error('the PaymentIntent can be confirmed again')
  return requireOutcome(authorizationOutcome(last))
}

/** The outcome once the PaymentIntent is canceled. Null: it needs no cancellation. */
function declineToSettle(intent: PaymentIntent): Outcome | null {
  const { id, status, next_action: next } = intent
  const outcome = authorizationOutcome(intent)
  if (status === 'requires_action' && outcome === null) {
    return buildDecline(id, 'authentication_required', next?.type ?? status)
  }
  return status === 'requires_payment_method' && mayReturn(intent) ? outcome : null
}

/** Throws when Stripe reports no outcome. */
export function requireOutcome(outcome: Outcome | null): Outcome {
  if (outcome === null) throw new Error('Stripe reports no outcome')
  return outcome
}

/**
 * Cancels a PaymentIntent, and returns it as it is then: Stripe cancels none that was captured or canceled. The key is
 * a new one each time: Stripe would repeat an error that no longer holds, and a second cancellation changes nothing.
 * Throws when it is not known whether Stripe canceled it.
 */
export async function cancelIntent(stripe: StripeCalls, id: string, reason: CancelReason): Promise<PaymentIntent> {
  const fields = { cancellation_reason: reasons[reason], 'expand[0]': 'latest_charge' }
  const { status, body } = requireSent(await stripe.post(`payment_intents/${id}/cancel`, fields, randomUUID()))
  if (isSuccess(status)) return paymentIntent.parse(body)
  const code = failure.safeParse(body).data?.error.code
  if (status !== 400 || code !== 'payment_intent_unexpected_state') throw new Error(`Stripe responded with ${status}`)
  return requireIntent(stripe, id)
}

/** The PaymentIntent with its charge. Throws when the account has none with the id. */
export async function requireIntent(stripe: StripeCalls, id: string): Promise<PaymentIntent> {
  const intent = await stripe.read(`payment_intents/${id}?expand%5B0%5D=latest_charge`, paymentIntent)
  if (intent === null) throw new Error('the account has no such PaymentIntent')
  return intent
}
