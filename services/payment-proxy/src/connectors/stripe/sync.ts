import type { KnownOutcome, Outcome } from '../../domain/outcome.ts'
import { type CancelReason, type Command, sentWithinMs } from '../connector.ts'
import type { StripeCalls, StripePage } from './api.ts'
import { cancelIntent, requireIntent, settle } from './cancellation.ts'
import {
  captureKey,
  operationIdIn,
  operationKey,
  type PaymentIntent,
  paymentIntent,
  type Refund,
  refund,
} from './objects.ts'
import { captureOutcome, refundOutcome, voidOutcome } from './outcomes.ts'

/**
 * The outcome of an earlier operation: by its reference when it is known, else among the objects that Stripe created
 * at its time. Stripe cannot reject an id for good, so an operation that is not found is `unknown` at first. It is
 * `not_attempted` once it is older than any request can be: `provider.ts` sends for `sentWithinMs`, aborts after
 * seconds, and Stripe responds to or drops a request within a minute. `inFlightMs` leaves ten.
 */
const inFlightMs = 10 * 60 * 1000
const clockSkewMs = 5 * 60 * 1000
const pagesMax = 40

export function syncOperation(stripe: StripeCalls, command: Command): Promise<Outcome> {
  switch (command.type) {
    case 'authorize':
      return syncAuthorization(stripe, command)
    case 'capture':
      return syncChange(stripe, command, (intent) =>
        operationIdIn(intent, captureKey) === command.operationId ? captureOutcome(intent) : null,
      )
    case 'void':
      return syncChange(stripe, command, voidOutcome)
    case 'refund':
      return syncRefund(stripe, command)
  }
}

async function syncAuthorization(stripe: StripeCalls, command: Command): Promise<Outcome> {
  const found = await findAuthorization(stripe, command)
  return found === null ? notFound(command.startedAt) : settle(stripe, found)
}

/** Ends an authorization that waits for the payer. The PaymentIntent as it is then has the outcome. */
export async function cancelAuthorization(
  stripe: StripeCalls,
  command: Command & { readonly reason: CancelReason },
): Promise<Outcome> {
  const found = await findAuthorization(stripe, command)
  if (found === null) return notFound(command.startedAt)
  const isFailed = found.status === 'requires_payment_method' && found.last_payment_error != null
  const isWaiting = waiting.has(found.status) && !isFailed
  const last = isWaiting ? await cancelIntent(stripe, found.id, command.reason) : found
  return settle(stripe, last)
}

const waiting: ReadonlySet<string> = new Set(['requires_action', 'requires_confirmation', 'requires_payment_method'])

/** Null: Stripe has no PaymentIntent of the operation. Its charge is expanded. */
async function findAuthorization(
  stripe: StripeCalls,
  { operationId, startedAt, providerReference: id }: Command,
): Promise<PaymentIntent | null> {
  if (id !== null) return requireIntent(stripe, id)
  const from = startedAt.getTime() - clockSkewMs
  const to = startedAt.getTime() + sentWithinMs + clockSkewMs
  const query = {
    'created[gte]': floorSeconds(from),
    'created[lte]': floorSeconds(to),
    'expand[0]': 'data.latest_charge',
  }
  const listPage = (after: string | null) => stripe.list('payment_intents', query, { schema: paymentIntent, after })
  return findIn<PaymentIntent>(listPage, (one) => operationIdIn(one, operationKey) === operationId)
}

/** A capture or void. A PaymentIntent that was ended otherwise can no longer execute it. */
async function syncChange(
  stripe: StripeCalls,
  { startedAt, authorizationReference: id }: Command,
  readOutcome: (intent: PaymentIntent) => KnownOutcome | null,
): Promise<Outcome> {
  if (id === null) throw new Error('the PaymentIntent of the authorization is not known')
  const intent = await requireIntent(stripe, id)
  const outcome = readOutcome(intent)
  if (outcome !== null) return outcome
  const isEnded = intent.status === 'succeeded' || intent.status === 'canceled'
  return isEnded ? { kind: 'not_attempted', reason: 'Stripe did not execute the operation' } : notFound(startedAt)
}

async function syncRefund(stripe: StripeCalls, command: Command): Promise<Outcome> {
  const { operationId, startedAt, authorizationReference, providerReference: id } = command
  if (id !== null) {
    const one = await stripe.read(`refunds/${id}`, refund)
    if (one === null) throw new Error('the account has no such refund')
    return refundOutcome(one)
  }
  if (authorizationReference === null) throw new Error('the PaymentIntent of the authorization is not known')
  const query = { payment_intent: authorizationReference }
  const listPage = (after: string | null) => stripe.list('refunds', query, { schema: refund, after })
  const found = await findIn<Refund>(listPage, (one) => operationIdIn(one, operationKey) === operationId)
  return found === null ? notFound(startedAt) : refundOutcome(found)
}

function notFound(startedAt: Date): Outcome {
  const reason = 'Stripe has no such operation'
  const isOld = Date.now() - startedAt.getTime() > sentWithinMs + inFlightMs
  return { kind: isOld ? 'not_attempted' : 'unknown', reason }
}

async function findIn<T>(
  list: (after: string | null) => Promise<StripePage<T>>,
  matches: (one: T) => boolean,
): Promise<T | null> {
  let after: string | null = null
  for (let page = 0; page < pagesMax; page += 1) {
    const { data, next } = await list(after)
    const found = data.find(matches)
    if (found !== undefined) return found
    if (next === null) return null
    after = next
  }
  throw new Error(`the operation is not on the first ${pagesMax} pages`)
}

function floorSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}
