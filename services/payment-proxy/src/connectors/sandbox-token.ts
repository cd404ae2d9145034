import type { OperationType } from '../domain/operation.ts'
import type { DeclineCode } from './decline-code.ts'

/** The fault that the sandbox simulates instead of success. */
export type Fault =
  | { readonly kind: 'declined'; readonly declineCode: DeclineCode }
  /** The operation never reaches the sandbox, and the connector can prove it. */
  | { readonly kind: 'unreachable' }
  /** The response never arrives. */
  | { readonly kind: 'timeout'; readonly applied: boolean }
  /** The outcome is known at the second sync. */
  | { readonly kind: 'pending' }
  /** The operation arrives. No response, also of a sync, ever does. */
  | { readonly kind: 'silent' }
  /** The sandbox reports another amount. */
  | { readonly kind: 'amount_mismatch' }
  /** The payer must decide at the bank of the sandbox. `ends`: how a confirmation there ends. */
  | { readonly kind: 'challenge'; readonly ends: 'succeeded' | 'declined' | 'never'; readonly delayMs: number }
  /** A refund succeeds, and fails at the next sync or after five seconds. */
  | { readonly kind: 'fails_later' }

export interface TestCard {
  readonly brand: string
  readonly last4: string
  readonly faults: Partial<Record<OperationType, Fault>>
  /** Delay of each response about this card. */
  readonly delayMs: number
  /** Lifetime of an authorization. Null: the sandbox reports none. */
  readonly expiresInMs: number | null
}

const prefix = 'tok_sandbox_'
const delayMsMax = 60_000
const challengeSecondsMax = 600
const expiresInSecondsMax = 7 * 24 * 60 * 60

const decline = (declineCode: DeclineCode): Fault => ({ kind: 'declined', declineCode })
const timeout = (applied: boolean): Fault => ({ kind: 'timeout', applied })
const visa: TestCard = { brand: 'visa', last4: '4242', faults: {}, delayMs: 0, expiresInMs: null }
const challenge = (ends: 'succeeded' | 'declined' | 'never', delayMs = 0): Fault => ({
  kind: 'challenge',
  ends,
  delayMs,
})
const faulty = (faults: TestCard['faults']): TestCard => ({ ...visa, faults })

const cards: ReadonlyMap<string, TestCard> = new Map(
  Object.entries({
    visa,
    mastercard: { ...visa, brand: 'mastercard', last4: '4444' },
    amex: { ...visa, brand: 'amex', last4: '0005' },
    ach: { ...visa, brand: 'ach', last4: '6789' },
    declined: faulty({ authorize: decline('card_declined') }),
    do_not_honor: faulty({ authorize: decline('do_not_honor') }),
    insufficient_funds: faulty({ authorize: decline('insufficient_funds') }),
    expired_card: faulty({ authorize: decline('expired_card') }),
    incorrect_cvc: faulty({ authorize: decline('incorrect_cvc') }),
    lost_or_stolen: faulty({ authorize: decline('lost_or_stolen') }),
    suspected_fraud: faulty({ authorize: decline('suspected_fraud') }),
    issuer_unavailable: faulty({ authorize: decline('issuer_unavailable') }),
    processing_error: faulty({ authorize: decline('processing_error') }),
    unreachable: faulty({ authorize: { kind: 'unreachable' } }),
    timeout_applied: faulty({ authorize: timeout(true) }),
    timeout_not_applied: faulty({ authorize: timeout(false) }),
    unknown_forever: faulty({ authorize: { kind: 'silent' } }),
    pending: faulty({ authorize: { kind: 'pending' } }),
    amount_mismatch: faulty({ authorize: { kind: 'amount_mismatch' } }),
    challenge: faulty({ authorize: challenge('succeeded') }),
    challenge_declined: faulty({ authorize: challenge('declined') }),
    challenge_abandoned: faulty({ authorize: challenge('never') }),
    capture_declined: faulty({ capture: decline('card_declined') }),
    capture_timeout_applied: faulty({ capture: timeout(true) }),
    capture_timeout_not_applied: faulty({ capture: timeout(false) }),
    refund_declined: faulty({ refund: decline('card_declined') }),
    refund_timeout_applied: faulty({ refund: timeout(true) }),
    refund_timeout_not_applied: faulty({ refund: timeout(false) }),
    refund_fails_later: faulty({ refund: { kind: 'fails_later' } }),
    void_declined: faulty({ void: decline('card_declined') }),
  }),
)

/** Undefined for a token that the sandbox does not know. */
export function findTestCard(token: string): TestCard | undefined {
  if (!token.startsWith(prefix)) return undefined
  const name = token.slice(prefix.length)
  const [, setting, digits] = /^(slow|expires_in|challenge_slow)_(\d{1,6})$/.exec(name) ?? []
  if (setting === undefined) return cards.get(name)
  const value = Number(digits)
  if (setting === 'slow') return value > delayMsMax ? undefined : { ...visa, delayMs: value }
  if (setting === 'challenge_slow') {
    return value > challengeSecondsMax ? undefined : faulty({ authorize: challenge('succeeded', value * 1000) })
  }
  return value > expiresInSecondsMax ? undefined : { ...visa, expiresInMs: value * 1000 }
}

/** The first digits of the faulty amounts of each operation. */
const faultyHundreds: Partial<Record<OperationType, number>> = { authorize: 4000, capture: 4100, refund: 4200 }

/** By the last two digits of the amount, which are response codes of ISO 8583. */
const amountFaults: ReadonlyMap<number, Fault> = new Map([
  [5, decline('do_not_honor')],
  [51, decline('insufficient_funds')],
  [54, decline('expired_card')],
  [59, decline('suspected_fraud')],
  [68, timeout(true)],
  [69, timeout(false)],
  [91, decline('issuer_unavailable')],
  [96, decline('processing_error')],
])

/** The fault of an operation with the card of this token. `tok_sandbox_visa` fails by the amount. */
export function findFault(token: string, type: OperationType, amount: number): Fault | undefined {
  if (token === `${prefix}visa`) {
    return Math.floor(amount / 100) === faultyHundreds[type] ? amountFaults.get(amount % 100) : undefined
  }
  return findTestCard(token)?.faults[type]
}
