import { reportedState } from '../../domain/outcome.ts'
import type { ReportedOperation, ReportPage, ReportWindow } from '../connector.ts'
import type { Fields, StripeCalls, StripePage } from './api.ts'
import {
  captureKey,
  event,
  operationIdIn,
  operationKey,
  type PaymentIntent,
  paymentIntent,
  type Refund,
  refund,
} from './objects.ts'
import { authorizationOutcome, money, refundOutcome } from './outcomes.ts'

/**
 * The operations of a window, from three of Stripe's lists one after the other: PaymentIntents (authorizations), events
 * (captures and voids, which Stripe lists for 30 days), refunds. A cursor is `list:id of the last object`.
 */
const lists = ['payment_intents', 'events', 'refunds'] as const
type List = (typeof lists)[number]

export async function listStripeOperations(
  stripe: StripeCalls,
  { from, to, cursor }: ReportWindow,
): Promise<ReportPage> {
  const { list, after } = parseCursor(cursor)
  const created = { 'created[gte]': ceilSeconds(from), 'created[lt]': ceilSeconds(to) }
  const { data, next } = await readers[list](stripe, created, after)
  if (next !== null) return { operations: data, next: `${list}:${next}` }
  const following = lists[lists.indexOf(list) + 1]
  return { operations: data, next: following === undefined ? null : `${following}:` }
}

function parseCursor(cursor: string | null): { list: List; after: string | null } {
  const [name, after = ''] = (cursor ?? `${lists[0]}:`).split(':')
  const list = lists.find((one) => one === name)
  if (list === undefined) throw new Error('the cursor is not valid')
  return { list, after: after === '' ? null : after }
}

type Reader = (stripe: StripeCalls, created: Fields, after: string | null) => Promise<StripePage<ReportedOperation>>

const changeTypes = { 'types[0]': 'payment_intent.succeeded', 'types[1]': 'payment_intent.canceled' }

const readers: Readonly<Record<List, Reader>> = {
  payment_intents: async (stripe, created, after) => {
    const { data, next } = await stripe.list('payment_intents', created, { schema: paymentIntent, after })
    return { data: data.flatMap(toAuthorizations), next }
  },
  events: async (stripe, created, after) => {
    const query = { ...created, ...changeTypes }
    const { data, next } = await stripe.list('events', query, { schema: event, after })
    const changes = data.flatMap(({ created: at, data: { object } }) => toChanges(paymentIntent.parse(object), at))
    return { data: changes, next }
  },
  refunds: async (stripe, created, after) => {
    const { data, next } = await stripe.list('refunds', created, { schema: refund, after })
    return { data: data.map(toRefund), next }
  },
}

function toAuthorizations(intent: PaymentIntent): ReportedOperation[] {
  const { id: providerReference, amount, currency, created } = intent
  const isWaiting = intent.status === 'requires_action'
  const outcome = isWaiting ? ({ kind: 'pending', providerReference } as const) : authorizationOutcome(intent)
  if (outcome === null) return []
  const wasAuthorized =
    intent.status === 'canceled' && intent.last_payment_error == null && intent.latest_charge != null
  return [
    {
      operationId: operationIdIn(intent, operationKey),
      providerReference,
      type: 'authorize',
      state: wasAuthorized ? 'succeeded' : reportedState(outcome),
      ...money(amount, currency),
      receivedAt: toDate(created),
    },
  ]
}

/** The capture or void of an event. A void has no operation id: Stripe takes no metadata with it. */
function toChanges(intent: PaymentIntent, at: number): ReportedOperation[] {
  const isVoid = intent.status === 'canceled'
  if (isVoid && (intent.last_payment_error != null || intent.latest_charge == null)) return []
  return [
    {
      operationId: isVoid ? null : operationIdIn(intent, captureKey),
      providerReference: intent.id,
      type: isVoid ? 'void' : 'capture',
      state: 'succeeded',
      ...money(isVoid ? intent.amount : intent.amount_received, intent.currency),
      receivedAt: toDate(at),
    },
  ]
}

function toRefund(one: Refund): ReportedOperation {
  return {
    operationId: operationIdIn(one, operationKey),
    providerReference: one.id,
    type: 'refund',
    state: reportedState(refundOutcome(one)),
    ...money(one.amount, one.currency),
    receivedAt: toDate(one.created),
  }
}

function ceilSeconds(date: Date): number {
  return Math.ceil(date.getTime() / 1000)
}

function toDate(created: number): Date {
  return new Date(created * 1000)
}
