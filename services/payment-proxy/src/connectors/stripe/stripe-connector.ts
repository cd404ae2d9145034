import type { HttpClient } from '@payments/egress/http-client'
import { z } from 'zod'
import type { KnownOutcome, Outcome } from '../../domain/outcome.ts'
import type { Command, Connector, PaymentDetails } from '../connector.ts'
import { buildDecline } from '../decline-code.ts'
import { type CallResult, isSuccess, noOutcome, toOutcome } from '../provider-http.ts'
import { createStripeApi, type Fields, type StripeCalls } from './api.ts'
import { requireOutcome, settle } from './cancellation.ts'
import { toDecline } from './declines.ts'
import {
  captureKey,
  failure,
  operationIdIn,
  operationKey,
  type PaymentIntent,
  payerKey,
  payerRedirect,
  paymentIntent,
  refund,
} from './objects.ts'
import { captureOutcome, refundOutcome, unitViolation, voidOutcome } from './outcomes.ts'
import { listStripeOperations } from './reports.ts'
import { cancelAuthorization, syncOperation } from './sync.ts'
import { readWebhook } from './webhooks.ts'

/**
 * **What it does.** Calls Stripe: an authorization is a PaymentIntent with manual capture, a void cancels it.
 *
 * docs/connectors.md has the facts about Stripe.
 *
 * **Guarantees.** The id of the operation is the Idempotency-Key of its request, and is in the metadata of the object
 * that it creates or captures. Captures and voids read the PaymentIntent first. An operation that Stripe would execute
 * differently is declined and not sent: a capture of a part that does not release the rest, ACH, another unit. A
 * decline after a page for the payer counts once the PaymentIntent is canceled (`settle`).
 *
 * **Not guaranteed.** That a confirmation in the milliseconds before a cancellation counts: Stripe cancels it too.
 */
export function createStripeConnector(client: HttpClient): Connector {
  const connect = createStripeApi(client)
  return {
    type: 'stripe',
    passesGates: true,
    recognizes: (token) => /^pm_\w{1,200}$/.test(token),
    execute: (command, signal) => {
      const stripe = connect(command.account, signal)
      switch (command.type) {
        case 'authorize':
          return authorize(stripe, command, command.paymentDetails)
        case 'capture':
          return changeIntent(stripe, command, {
            check: (intent) => captureViolation(intent, command),
            action: 'capture',
            fields: { amount_to_capture: command.amount, [`metadata[${captureKey}]`]: command.operationId },
            readOutcome: captureOutcome,
          })
        case 'void':
          return changeIntent(stripe, command, {
            check: (intent) => voidOutcome(intent) ?? statusViolation(intent),
            action: 'cancel',
            fields: { cancellation_reason: 'abandoned' },
            readOutcome: voidOutcome,
          })
        case 'refund':
          return refundPayment(stripe, command)
      }
    },
    sync: (command, signal) => syncOperation(connect(command.account, signal), command),
    cancel: (command, signal) => cancelAuthorization(connect(command.account, signal), command),
    check: (account, signal) => connect(account, signal).check(),
    parseWebhook: readWebhook,
    listOperations: (account, window, signal) => listStripeOperations(connect(account, signal), window),
  }
}

async function authorize(
  stripe: StripeCalls,
  { operationId, amount, currency }: Command,
  { token, paymentMethod, returnUrl }: PaymentDetails,
): Promise<Outcome> {
  if (paymentMethod !== 'CREDIT_CARD')
    return buildDecline(null, 'transaction_not_permitted', 'manual_capture_unsupported')
  const violation = unitViolation(amount, currency)
  if (violation !== undefined) return violation
  const fields = {
    amount,
    currency: currency.toLowerCase(),
    payment_method: token,
    'payment_method_types[0]': 'card',
    confirm: 'true',
    capture_method: 'manual',
    [`metadata[${operationKey}]`]: operationId,
    'expand[0]': 'latest_charge',
    ...(returnUrl === null ? { error_on_requires_action: 'true' } : returningTo(returnUrl)),
  }
  const result = await stripe.post('payment_intents', fields, operationId)
  return toStripeOutcome(result, (body) => settle(stripe, paymentIntent.parse(body)))
}

/** With `return_url`, and without `use_stripe_sdk`, an action is a page of Stripe that leads back. */
const returningTo = (url: string): Fields => ({ return_url: url, [`metadata[${payerKey}]`]: payerRedirect })

interface Change {
  /** The outcome without a request: the change is made already, or not possible. */
  readonly check: (intent: PaymentIntent) => KnownOutcome | undefined
  readonly action: 'capture' | 'cancel'
  readonly fields: Fields
  readonly readOutcome: (intent: PaymentIntent) => KnownOutcome | null
}

/** Reads the PaymentIntent, then changes it. A failed read changed nothing. */
async function changeIntent(
  stripe: StripeCalls,
  { operationId, authorizationReference: id }: Command,
  { check, action, fields, readOutcome }: Change,
): Promise<Outcome> {
  const intent = await readIntent(stripe, id)
  if ('reason' in intent) return { kind: 'not_attempted', ...intent }
  const checked = check(intent)
  if (checked !== undefined) return checked
  const result = await stripe.post(`payment_intents/${id}/${action}`, fields, operationId)
  return toStripeOutcome(result, (body) => requireOutcome(readOutcome(paymentIntent.parse(body))))
}

const unknownIntent = { reason: 'the PaymentIntent of the authorization is not known', isOfOperation: true } as const

async function readIntent(
  stripe: StripeCalls,
  id: string | null,
): Promise<PaymentIntent | { reason: string; isOfOperation?: true }> {
  if (id === null) return unknownIntent
  try {
    const intent = await stripe.read(`payment_intents/${id}`, paymentIntent)
    return intent ?? { reason: 'the account has no such PaymentIntent', isOfOperation: true }
  } catch (error) {
    // The operation itself was not sent. A tenant reads the reason.
    const detail = error instanceof z.ZodError || !(error instanceof Error) ? 'it has another form' : error.message
    return { reason: `the PaymentIntent was not read: ${detail}` }
  }
}

function captureViolation(
  intent: PaymentIntent,
  { operationId, amount, amountReleased, currency }: Command,
): KnownOutcome | undefined {
  const captured = captureOutcome(intent)
  if (captured !== null && operationIdIn(intent, captureKey) === operationId) return captured
  const violation = statusViolation(intent) ?? unitViolation(amount, currency)
  if (violation !== undefined) return violation
  const whole = amount + amountReleased
  if (whole === intent.amount_capturable) return undefined
  return whole > intent.amount_capturable
    ? buildDecline(intent.id, 'amount_limit_exceeded', 'amount_too_large')
    : buildDecline(intent.id, 'transaction_not_permitted', 'partial_capture_must_be_final')
}

function statusViolation({ id, status }: PaymentIntent): KnownOutcome | undefined {
  return status === 'requires_capture' ? undefined : buildDecline(id, 'transaction_not_permitted', status)
}

async function refundPayment(stripe: StripeCalls, command: Command): Promise<Outcome> {
  const { operationId, amount, currency, authorizationReference: id } = command
  if (id === null) return { kind: 'not_attempted', ...unknownIntent }
  const violation = unitViolation(amount, currency)
  if (violation !== undefined) return violation
  const fields = { payment_intent: id, amount, [`metadata[${operationKey}]`]: operationId }
  const result = await stripe.post('refunds', fields, operationId)
  return toStripeOutcome(result, (body) => refundOutcome(refund.parse(body)))
}

/**
 * The outcome of a request. Errors of the card and of parameters had no effect. Throws for 409, which reports another
 * request with the same key, and for errors of Stripe.
 */
function toStripeOutcome(
  result: CallResult,
  readOutcome: (body: unknown) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  return toOutcome(result, ({ status, body }) => {
    if (isSuccess(status)) return readOutcome(body)
    const { error } = failure.parse(body)
    const isFinal = status === 400 || status === 402 || status === 404
    if (!isFinal || (error.type !== 'card_error' && error.type !== 'invalid_request_error')) {
      throw noOutcome(status, error.type)
    }
    return toDecline(error, error.payment_intent?.id ?? null)
  })
}
