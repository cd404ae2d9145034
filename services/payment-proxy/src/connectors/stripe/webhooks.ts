import type { Account, ReportedEvent, WebhookReading, WebhookRequest } from '../connector.ts'
import { hmacSha256, isRecent, isSignedBy, parseJson } from '../signature.ts'
import {
  captureKey,
  event,
  mayReturn,
  operationIdIn,
  operationKey,
  type PaymentIntent,
  paymentIntent,
  refund,
} from './objects.ts'
import { authorizationOutcome, captureOutcome, refundOutcome } from './outcomes.ts'

const partsMax = 20

/** Verifies `Stripe-Signature`: `t=`, then one `v1=` per signing secret in use, over `t.body`. */
export function readWebhook({ credentials }: Account, { headers, body, receivedAt }: WebhookRequest): WebhookReading {
  const { webhook_secret: secret } = credentials
  if (secret === undefined) return { kind: 'rejected', reason: 'the payment orchestrator has no webhook_secret' }
  const parts = (headers['stripe-signature'] ?? '').split(',', partsMax)
  const findValues = (name: string) => parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(3)] : []))
  const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2)
  if (!isRecent(timestamp, receivedAt)) return { kind: 'rejected', reason: 'the timestamp is missing or too old' }
  const signatures = findValues('v1').map((hex) => Buffer.from(hex, 'hex'))
  const content = Buffer.concat([Buffer.from(`${timestamp}.`), body])
  if (!isSignedBy(hmacSha256(secret, content), signatures)) {
    return { kind: 'rejected', reason: 'Stripe-Signature is not valid' }
  }
  const parsed = event.safeParse(parseJson(body))
  if (!parsed.success) return { kind: 'rejected', reason: 'the body is no event' }
  const { id: eventId, type, data } = parsed.data
  const reported = readReport(type, data.object)
  return reported === null ? { kind: 'ignored', eventId } : { kind: 'event', event: { eventId, ...reported } }
}

/** Null: the event concerns no operation of this platform. */
function readReport(type: string, object: unknown): Omit<ReportedEvent, 'eventId'> | null {
  switch (type) {
    case 'payment_intent.succeeded': {
      const intent = paymentIntent.safeParse(object).data
      return intent === undefined
        ? null
        : reported(operationIdIn(intent, captureKey), intent.id, captureOutcome(intent))
    }
    case 'payment_intent.amount_capturable_updated':
    case 'payment_intent.payment_failed':
    case 'payment_intent.requires_action':
    case 'payment_intent.processing':
    case 'payment_intent.canceled': {
      const intent = paymentIntent.safeParse(object).data
      if (intent === undefined) return null
      return reported(operationIdIn(intent, operationKey), intent.id, reportedOutcome(type, intent))
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated': {
      const one = refund.safeParse(object).data
      return one === undefined ? null : reported(operationIdIn(one, operationKey), one.id, refundOutcome(one))
    }
    default:
      return null
  }
}

/**
 * The event of a payment with a page for the payer has neither card nor authentication, and a failed one must be
 * canceled: a sync does both.
 */
function reportedOutcome(type: string, intent: PaymentIntent): ReportedEvent['outcome'] | null {
  const isEnd = type === 'payment_intent.amount_capturable_updated' || type === 'payment_intent.payment_failed'
  if (!mayReturn(intent)) return isEnd ? authorizationOutcome(intent) : null
  const seen = isEnd || type === 'payment_intent.requires_action' ? authorizationOutcome(intent) : null
  return { kind: 'changed', providerReference: intent.id, ...(seen === null ? {} : { seen }) }
}

function reported(
  operationId: string | null,
  providerReference: string,
  outcome: ReportedEvent['outcome'] | null,
): Omit<ReportedEvent, 'eventId'> | null {
  return operationId === null || outcome === null ? null : { operationId, providerReference, outcome }
}
