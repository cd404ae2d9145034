import type { OperationType } from '../domain/operation.ts'

/** The fault that the sandbox simulates instead of success. */
export type Fault =
  | { readonly kind: 'declined'; readonly declineCode: string }
  /** The operation never reaches the sandbox, and the connector can prove it. */
  | { readonly kind: 'unreachable' }
  /** The response never arrives. */
  | { readonly kind: 'timeout'; readonly applied: boolean }
  /** The outcome is known at the second sync. */
  | { readonly kind: 'pending' }

export interface TestCard {
  readonly brand: string
  readonly last4: string
  readonly faults: Partial<Record<OperationType, Fault>>
  /** Delay of each response about this card. */
  readonly delayMs: number
}

const prefix = 'tok_sandbox_'
const delayMsMax = 60_000

const decline = (declineCode: string): Fault => ({ kind: 'declined', declineCode })
const timeout = (applied: boolean): Fault => ({ kind: 'timeout', applied })
const visa = { brand: 'visa', last4: '4242', faults: {}, delayMs: 0 }
const faulty = (faults: TestCard['faults']): TestCard => ({ ...visa, faults })

const cards: ReadonlyMap<string, TestCard> = new Map(
  Object.entries({
    visa,
    mastercard: { ...visa, brand: 'mastercard', last4: '4444' },
    amex: { ...visa, brand: 'amex', last4: '0005' },
    ach: { ...visa, brand: 'ach', last4: '6789' },
    declined: faulty({ authorize: decline('card_declined') }),
    insufficient_funds: faulty({ authorize: decline('insufficient_funds') }),
    unreachable: faulty({ authorize: { kind: 'unreachable' } }),
    timeout_applied: faulty({ authorize: timeout(true) }),
    timeout_not_applied: faulty({ authorize: timeout(false) }),
    pending: faulty({ authorize: { kind: 'pending' } }),
    capture_declined: faulty({ capture: decline('card_declined') }),
    capture_timeout_applied: faulty({ capture: timeout(true) }),
    capture_timeout_not_applied: faulty({ capture: timeout(false) }),
    refund_declined: faulty({ refund: decline('card_declined') }),
    refund_timeout_applied: faulty({ refund: timeout(true) }),
    refund_timeout_not_applied: faulty({ refund: timeout(false) }),
    void_declined: faulty({ void: decline('card_declined') }),
  }),
)

/** Undefined for a token that the sandbox does not know. */
export function testCardOf(token: string): TestCard | undefined {
  if (!token.startsWith(prefix)) return undefined
  const name = token.slice(prefix.length)
  const slow = /^slow_(\d{1,5})$/.exec(name)
  if (slow === null) return cards.get(name)
  const delayMs = Number(slow[1])
  return delayMs > delayMsMax ? undefined : { ...visa, delayMs }
}
