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

export const idOf = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`
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
  readonly intents: Intent[] = []
  readonly refunds: StripeRefund[] = []
  readonly events: StripeEvent[] = []
  readonly tokens = new Map<string, string>()

  create(fields: URLSearchParams): Intent {
    const token = fields.get('payment_method') ?? ''
    const amount = Number(fields.get('amount'))
    if (fields.get('capture_method') !== 'manual' || fields.get('confirm') !== 'true') throw invalid('unexpected')
    if (fields.get('error_on_requires_action') !== 'true') throw invalid('return_url_required')
    if (!/^pm_card_\w+$/.test(token)) throw invalid('resource_missing', 'payment_method')
    const intent: Intent = {
      id: idOf('pi'),
      object: 'payment_intent',
      status: 'requires_capture',
      amount,
      amount_capturable: amount,
      amount_received: 0,
      currency: fields.get('currency') ?? '',
      created: nowSeconds(),
      metadata: metadataOf(fields),
      last_payment_error: null,
      latest_charge: { id: idOf('ch'), payment_method_details: { card: { brand: 'visa', last4: '4242' } } },
    }
    this.intents.unshift(intent)
    this.tokens.set(intent.id, token)
    const decline = /^pm_card_declined_(\w+)$/.exec(token)?.[1]
    if (decline !== undefined) {
      const error = { type: 'card_error', code: 'card_declined', decline_code: decline }
      Object.assign(intent, { status: 'requires_payment_method', amount_capturable: 0, last_payment_error: error })
      this.emit('payment_intent.payment_failed', intent)
      throw new StripeError(402, { ...error, payment_intent: intent })
    }
    this.emit('payment_intent.amount_capturable_updated', intent)
    return intent
  }

  capture(id: string, fields: URLSearchParams): Intent {
    const intent = this.intent(id)
    if (intent.status !== 'requires_capture') throw invalid('payment_intent_unexpected_state')
    const amount = Number(fields.get('amount_to_capture') ?? intent.amount_capturable)
    if (amount > intent.amount_capturable) throw invalid('amount_too_large', 'amount_to_capture')
    Object.assign(intent.metadata, metadataOf(fields))
    Object.assign(intent, { status: 'succeeded', amount_received: amount, amount_capturable: 0 })
    this.emit('payment_intent.succeeded', intent)
    return intent
  }

  cancel(id: string): Intent {
    const intent = this.intent(id)
    if (intent.status !== 'requires_capture') throw invalid('payment_intent_unexpected_state')
    Object.assign(intent, { status: 'canceled', amount_capturable: 0 })
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
      id: idOf('re'),
      object: 'refund',
      status: 'succeeded',
      amount,
      currency: intent.currency,
      created: nowSeconds(),
      payment_intent: intent.id,
      metadata: metadataOf(fields),
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
    this.events.unshift({ id: idOf('evt'), object: 'event', type, created: nowSeconds(), data })
  }
}

function metadataOf(fields: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...fields].flatMap(([name, value]) => {
      const key = /^metadata\[(\w+)\]$/.exec(name)?.[1]
      return key === undefined ? [] : [[key, value]]
    }),
  )
}
