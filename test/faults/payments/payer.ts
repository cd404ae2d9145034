import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Call } from '../../tenant.ts'
import { decideAtBank } from '../runner/bank.ts'
import { mayRepeat, persist } from '../runner/persist.ts'

/**
 * A client that makes payments as the API documents: one Idempotency-Key per request, repeated after a lost
 * response, a 409 or a 5xx, and a sync after a 202.
 */
export interface Payment {
  readonly reference: string
  readonly id: string
  /** Amounts that a final response confirmed, in minor units. */
  readonly confirmed: { captured: number; refunded: number }
  /** Whether a response left a step without a confirmed end, so that its amounts may be higher. */
  isComplete: boolean
}

const deadlineMs = 120_000
const pauseMs = 100
const amount = 10_000

/** The payment orchestrator and its tokens. Each token is used as often as the list has it. */
export interface Means {
  /** Undefined: the default of the business unit. */
  readonly orchestrator?: string
  readonly tokens: readonly string[]
}

/** Success, declines and lost responses. */
export const sandboxTokens = [
  'visa',
  'visa',
  'visa',
  'declined',
  'timeout_applied',
  'timeout_not_applied',
  'capture_timeout_applied',
  'capture_timeout_not_applied',
  'refund_timeout_applied',
  'refund_timeout_not_applied',
  'refund_declined',
  'unreachable',
  'pending',
  'slow_300',
  'challenge',
  'challenge',
  'challenge_declined',
].map((token) => `tok_sandbox_${token}`)

/** The same at the reference provider, whose tokens name their faults. */
export const providerTokens = [
  'ok',
  'ok',
  'ok',
  'declined_insufficient_funds',
  'lost_applied',
  'lost_not_applied',
  'pending',
  'capture_lost_applied',
  'capture_lost_not_applied',
  'refund_lost_applied',
  'refund_pending',
  'refund_declined_processing_error',
]

interface Step {
  readonly path: string
  readonly body: object
}

/** Authorizes, captures a half, and refunds a part of it. Throws when a response breaks a promise. */
export async function makePayment(
  call: Call,
  unit: string,
  { orchestrator, tokens }: Means,
  number: number,
): Promise<Payment | undefined> {
  const reference = `payment-${number}-${randomUUID()}`
  const token = tokens[number % tokens.length]
  const created = await finish(call, {
    path: '/v1/payment-proxy/transactions/authorize',
    body: {
      business_unit_id: unit,
      currency: 'EUR',
      amount,
      external_reference: reference,
      ...(orchestrator === undefined ? {} : { transaction: { payment_orchestrator_id: orchestrator } }),
      payment_details: { payment_method: 'CREDIT_CARD', cc_token: token },
      return_url: 'https://shop.example.com/orders',
    },
  })
  const id = created?.body.id ?? created?.body.transaction_id
  if (created === undefined || id === undefined) return undefined
  const payment: Payment = { reference, id, confirmed: { captured: 0, refunded: 0 }, isComplete: true }
  if (created.status !== 201 && created.status !== 200) return payment
  for (const [verb, moved, field] of [
    ['capture', amount / 2, 'captured'],
    ['refund', amount / 4, 'refunded'],
  ] as const) {
    const done = await finish(call, { path: `/v1/payment-proxy/transactions/${id}/${verb}`, body: { amount: moved } })
    if (done === undefined) payment.isComplete = false
    if (done?.status !== 200) break
    if (done.body[`amount_${field}`] === moved) payment.confirmed[field] = moved
  }
  return payment
}

/**
 * Sends a request until its response is final: the operation succeeded, was declined, was not sent, or is not allowed.
 * Undefined when the deadline ends first.
 */
async function finish(call: Call, { path, body }: Step) {
  const key = { 'Idempotency-Key': randomUUID() }
  const deadlineAt = performance.now() + deadlineMs
  for (let unsent = 0; performance.now() < deadlineAt; await delay(pauseMs)) {
    const response = await call('POST', path, body, key).catch(() => undefined)
    if (response === undefined || mayRepeat(response)) continue
    if (response.status === 502) {
      // With one of the tokens the sandbox is never reached.
      unsent += 1
      if (unsent > 2) return response
      continue
    }
    if (response.status !== 202) {
      if (![200, 201, 402, 409].includes(response.status)) {
        throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`)
      }
      return response
    }
    await confirm(call, response.body)
    const settled = await settle(call, response.body.id, deadlineAt)
    if (settled !== undefined && settled.body.pending_operation === null) return settled
    return undefined
  }
  return undefined
}

/** The payer at the bank: mostly confirms. Some decline, and for some the merchant voids before they decide. */
async function confirm(call: Call, { id, pending_operation: pending }: { id: string; pending_operation: Pending }) {
  if (pending?.action == null) return
  const luck = Math.random()
  const voids = luck < 0.3 ? persist(call, `/v1/payment-proxy/transactions/${id}/void`) : undefined
  // Half of the voided payments are confirmed at the same time.
  if (luck > 0.15) await decideAtBank(pending.action.url, luck > 0.9 ? 'decline' : 'confirm')
  await voids
}

type Pending = { readonly action: { readonly url: string } | null } | null

/** Requests the outcome until no operation is open. */
async function settle(call: Call, id: string, deadlineAt: number) {
  while (performance.now() < deadlineAt) {
    const response = await call('POST', `/v1/payment-proxy/transactions/${id}/sync`).catch(() => undefined)
    if (response?.status === 200) return response
    await delay(pauseMs)
  }
  return undefined
}
