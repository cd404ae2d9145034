/**
 * The state machine of codes. Each change of a status is a transition of this table; CHECK constraints of the database
 * reject what the states do not allow, such as a payment of a code that is not processing.
 */
export type CodeStatus = 'active' | 'processing' | 'completed' | 'expired' | 'canceled'

/** The cause of a cancelation: a request, the void of the transaction, or the last allowed decline. */
export type CanceledBy = 'request' | 'transaction' | 'declines'

const transitions = {
  /** A payment begins. Only before `expires_at`. */
  take: { from: ['active'], to: 'processing' },
  /** The payment was declined or not attempted, before `expires_at`. */
  release: { from: ['processing'], to: 'active' },
  /** `expires_at` has passed: of an active code, or when a payment fails after it. */
  expire: { from: ['active', 'processing'], to: 'expired' },
  /** Sent again after `expires_at`. */
  revive: { from: ['expired'], to: 'active' },
  cancelByRequest: { from: ['active', 'expired'], to: 'canceled' },
  /** The payment failed of a payer who was erased meanwhile: the code cannot be paid again. */
  cancelByErasure: { from: ['processing'], to: 'canceled' },
  /** The transaction was voided before it was authorized. */
  cancelByTransaction: { from: ['active', 'processing', 'expired'], to: 'canceled' },
  /** Too many payments were declined, of the payer or of the merchant. */
  cancelByDeclines: { from: ['active', 'processing', 'expired'], to: 'canceled' },
  /** The transaction is authorized, by this code or otherwise. */
  complete: { from: ['active', 'processing', 'expired'], to: 'completed' },
} as const satisfies Record<string, { readonly from: readonly CodeStatus[]; readonly to: CodeStatus }>

export type Transition = keyof typeof transitions

export function allows(status: CodeStatus, transition: Transition): boolean {
  return (transitions[transition].from as readonly CodeStatus[]).includes(status)
}

export function statusAfter(transition: Transition): CodeStatus {
  return transitions[transition].to
}

const canceledBy: Readonly<Partial<Record<Transition, CanceledBy>>> = {
  cancelByRequest: 'request',
  cancelByErasure: 'request',
  cancelByTransaction: 'transaction',
  cancelByDeclines: 'declines',
}

/** The columns of the new state. Every transition but `take` ends the payment of the code. */
export function columnsAfter(transition: Exclude<Transition, 'take'>) {
  return {
    status: statusAfter(transition),
    canceledBy: canceledBy[transition] ?? null,
    paymentId: null,
    claimedAt: null,
    confirmation: null,
    recoverAt: null,
    recoverCount: 0,
  } as const
}

/** The status at an instant: an active code is expired from `expiresAt` on, before the job has recorded it. */
export function statusAt({ status, expiresAt }: { status: CodeStatus; expiresAt: Date }, now: Date): CodeStatus {
  return status === 'active' && expiresAt <= now ? 'expired' : status
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** From the start of a payment to the first read of its transaction. A payment starts within 10 s, or never. */
export const firstRecoveryMs = 30 * second

const recoveryDelaysMs = [10 * second, 30 * second, 2 * minute, 10 * minute]

/** From one read of the transaction to the next, after `recoverCount` reads. */
export const recoveryDelayMs = (recoverCount: number): number => recoveryDelaysMs[recoverCount] ?? hour
