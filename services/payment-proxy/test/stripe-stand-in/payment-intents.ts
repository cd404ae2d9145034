import { randomUUID } from 'node:crypto'

/** Stripe's objects, as far as the connector uses them. */
export interface Intent {
  id: string
  object: 'payment_intent'
  status: string
  amount: number
  amount_capturable: number
  amount_received: number
  currency: string
  created: number
  metadata: Record<string, string>
  last_payment_error: object | null
  latest_charge: object | string | null
  next_action: object | null
  cancellation_reason: string | null
  client_secret: string
}

export interface StripeRefund {
  id: string
  object: 'refund'
  status: string
  amount: number
  currency: string
  created: number
  payment_intent: string
  metadata: Record<string, string>
}

export interface StripeEvent {
  id: string
  object: 'event'
  type: string
  created: number
  data: { object: Intent | StripeRefund }
}

export const createId = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`
export const nowSeconds = () => Math.floor(Date.now() / 1000)

interface Failure {
  readonly type: string
  readonly code?: string
  readonly decline_code?: string
  readonly param?: string
  readonly payment_intent?: Intent
}

export class StripeError extends Error {
  readonly status: number
  readonly error: Failure

  constructor(status: number, error: Failure) {
    super(error.code ?? error.type)
    this.status = status
    this.error = error
  }
}

const invalid = (code: string, param?: string) =>
  new StripeError(400, { type: 'invalid_request_error', code, ...(param === undefined ? {} : { param }) })

/** The objects of one Stripe account. Newest first. */
export class StripeAccount {
  /** Where the pages of 3-D Secure are. */
  readonly url: string
  /** The addresses to return to, by the ids of PaymentIntents. */
  readonly returnUrls = new Map<string, string>()
  readonly intents: Intent[] = []
  readonly refunds: StripeRefund[] = []
  readonly events: StripeEvent[] = []
  readonly tokens = new Map<string, string>()

  constructor(url = 'https://hooks.stripe.test') {
    this.url = url
  }

  create(fields: URLSearchParams): Intent {
    const token = fields.get('payment_method') ?? ''
    const amount = Number(fields.get('amount'))
    if (fields.get('capture_method') !== 'manual' || fields.get('confirm') !== 'true') throw invalid('unexpected')
    const returnUrl = fields.get('return_url')
    const failsOnAction = fields.get('error_on_requires_action') === 'true'
    if ((returnUrl === null) !== failsOnAction) throw invalid('return_url_required')
    if (!/^pm_card_\w+$/.test(token)) throw invalid('resource_missing', 'payment_method')
    const intent: Intent = {
      id: createId('pi'),
      object: 'payment_intent',
      status: 'requires_capture',
      amount,
      amount_capturable: amount,
      amount_received: 0,
      currency: fields.get('currency') ?? '',
      created: nowSeconds(),
      metadata: readMetadata(fields),
      last_payment_error: null,
      latest_charge: buildCharge(null),
      next_action: null,
      cancellation_reason: null,
      client_secret: `${createId('pi')}_secret_${createId('x')}`,
    }
    this.intents.unshift(intent)
    this.tokens.set(intent.id, token)
    const decline = /^pm_card_declined_(\w+)$/.exec(token)?.[1]
    if (decline !== undefined) throw this.#fail(intent, cardError('card_declined', decline))
    if (/^pm_card_authenticationRequired/.test(token)) {
      if (returnUrl === null) {
        intent.latest_charge = null
        throw this.#fail(intent, cardError('authentication_required', 'authentication_not_handled'))
      }
      return this.#requireAction(intent, token, returnUrl)
    }
    this.emit('payment_intent.amount_capturable_updated', intent)
    return intent
  }

  #requireAction(intent: Intent, token: string, returnUrl: string): Intent {
    const isRedirect = !token.endsWith('_sdk')
    const action = { return_url: returnUrl, url: `${this.url}/3ds/${intent.id}` }
    Object.assign(intent, {
      status: 'requires_action',
      amount_capturable: 0,
      latest_charge: null,
      next_action: isRedirect
        ? { type: 'redirect_to_url', redirect_to_url: action }
        : { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'stripe_3ds2_fingerprint' } },
    })
    this.returnUrls.set(intent.id, returnUrl)
    this.emit('payment_intent.requires_action', intent)
    return intent
  }

  #fail(intent: Intent, error: Failure): StripeError {
    const failed = { status: 'requires_payment_method', amount_capturable: 0, next_action: null }
    Object.assign(intent, { ...failed, last_payment_error: error })
    this.emit('payment_intent.payment_failed', intent)
    return new StripeError(402, { ...error, payment_intent: intent })
  }

  /**
   * The payer at the page of 3-D Secure, or with the client secret of a failed payment. Returns the address that they
   * return to. Nothing changes once the PaymentIntent waits for no payer.
   */
  decide(id: string, decision: 'confirm' | 'fail'): string {
    const intent = this.intent(id)
    const mayConfirmAgain = decision === 'confirm' && intent.status === 'requires_payment_method'
    if (intent.status === 'requires_action' || mayConfirmAgain) this.#authenticate(intent, decision)
    const url = new URL(this.returnUrls.get(id) ?? '')
    url.searchParams.set('payment_intent', id)
    url.searchParams.set('payment_intent_client_secret', intent.client_secret)
    url.searchParams.set('redirect_status', intent.status === 'requires_capture' ? 'succeeded' : 'failed')
    return url.href
  }

  #authenticate(intent: Intent, decision: 'confirm' | 'fail'): void {
    if (decision === 'fail') {
      this.#fail(intent, { type: 'invalid_request_error', code: 'payment_intent_authentication_failure' })
      return
    }
    const charge = buildCharge({ result: 'authenticated', electronic_commerce_indicator: '05' })
    if (this.tokens.get(intent.id)?.endsWith('ChargeDeclinedInsufficientFunds') === true) {
      intent.latest_charge = charge
      this.#fail(intent, cardError('card_declined', 'insufficient_funds'))
      return
    }
    const authorized = { status: 'requires_capture', amount_capturable: intent.amount, latest_charge: charge }
    Object.assign(intent, { ...authorized, next_action: null, last_payment_error: null })
    this.emit('payment_intent.amount_capturable_updated', intent)
  }

  capture(id: string, fields: URLSearchParams): Intent {
    const intent = this.intent(id)
    if (intent.status !== 'requires_capture') throw invalid('payment_intent_unexpected_state')
    const amount = Number(fields.get('amount_to_capture') ?? intent.amount_capturable)
    if (amount > intent.amount_capturable) throw invalid('amount_too_large', 'amount_to_capture')
    Object.assign(intent.metadata, readMetadata(fields))
    Object.assign(intent, { status: 'succeeded', amount_received: amount, amount_capturable: 0 })
    this.emit('payment_intent.succeeded', intent)
    return intent
  }

  /** An authorization is released, also one that the payer has just confirmed. */
  cancel(id: string, fields: URLSearchParams): Intent {
    const intent = this.intent(id)
    if (intent.status === 'succeeded' || intent.status === 'canceled') throw invalid('payment_intent_unexpected_state')
    const cancellation_reason = fields.get('cancellation_reason')
    if (cancellation_reason !== 'abandoned' && cancellation_reason !== 'requested_by_customer') throw invalid('reason')
    Object.assign(intent, { status: 'canceled', amount_capturable: 0, next_action: null, cancellation_reason })
    this.emit('payment_intent.canceled', intent)
    return intent
  }

  refund(fields: URLSearchParams): StripeRefund {
    const intent = this.intent(fields.get('payment_intent') ?? '')
    const amount = Number(fields.get('amount'))
    const refunded = this.refunds
      .filter((one) => one.payment_intent === intent.id)
      .reduce((sum, one) => sum + one.amount, 0)
    if (refunded === intent.amount_received) throw invalid('charge_already_refunded')
    if (amount > intent.amount_received - refunded) throw invalid('amount_too_large', 'amount')
    const refund: StripeRefund = {
      id: createId('re'),
      object: 'refund',
      status: 'succeeded',
      amount,
      currency: intent.currency,
      created: nowSeconds(),
      payment_intent: intent.id,
      metadata: readMetadata(fields),
    }
    this.refunds.unshift(refund)
    this.emit('refund.created', refund)
    return refund
  }

  intent(id: string): Intent {
    const intent = this.intents.find((one) => one.id === id)
    if (intent === undefined) throw new StripeError(404, { type: 'invalid_request_error', code: 'resource_missing' })
    return intent
  }

  emit(type: string, object: Intent | StripeRefund): void {
    const data = { object: structuredClone(object) }
    this.events.unshift({ id: createId('evt'), object: 'event', type, created: nowSeconds(), data })
  }
}

const cardError = (code: string, decline_code: string): Failure => ({ type: 'card_error', code, decline_code })

/** A charge of a card, with the 3-D Secure of the payment. */
function buildCharge(authenticated: object | null) {
  const details = {
    authentication_flow: 'challenge',
    result_reason: null,
    version: '2.2.0',
    transaction_id: createId('ds'),
  }
  const three_d_secure = authenticated === null ? null : { ...details, ...authenticated }
  return { id: createId('ch'), payment_method_details: { card: { brand: 'visa', last4: '4242', three_d_secure } } }
}

function readMetadata(fields: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...fields].flatMap(([name, value]) => {
      const key = /^metadata\[(\w+)\]$/.exec(name)?.[1]
      return key === undefined ? [] : [[key, value]]
    }),
  )
}
