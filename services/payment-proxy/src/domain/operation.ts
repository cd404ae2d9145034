import type { Operation as OperationReply } from '@payments/contracts/payment-proxy'

export type OperationType = 'authorize' | 'capture' | 'void' | 'refund'
export type OperationState = 'in_progress' | 'succeeded' | 'declined' | 'pending' | 'not_attempted' | 'unknown'
export type Stage = 'authorize' | 'capture'

export interface OperationError {
  readonly code: string
  readonly decline_code: string | null
  readonly retryable: boolean
  readonly provider_code: string | null
}

export interface RefundItem {
  readonly id: string
  readonly quantity: number
}

/** One request to a payment provider. Its id is the idempotency key there. Amounts are minor units. */
export interface Operation {
  readonly id: string
  readonly tenantId: string
  readonly transactionId: string
  /** 1, 2, … within the transaction. */
  readonly number: number
  readonly type: OperationType
  readonly state: OperationState
  readonly amount: number
  /** What a final capture leaves uncaptured and so gives up. */
  readonly amountReleased: number
  readonly stage: Stage | null
  readonly reason: string | null
  readonly items: readonly RefundItem[] | null
  readonly providerReference: string | null
  readonly error: OperationError | null
  /** How often the provider was asked to do it or how it ended. */
  readonly attemptCount: number
  /** While in progress: the end of the lease of whoever calls the provider. After: when to ask again. */
  readonly dueAt: Date | null
  readonly traceId: string
  readonly createdAt: Date
  readonly completedAt: Date | null
}

/** What a verb decides to do; the rest of an operation follows from it. */
export interface OperationPlan {
  readonly type: OperationType
  readonly amount: number
  readonly amountReleased?: number
  readonly stage?: Stage
  readonly reason?: string
  readonly items?: readonly RefundItem[]
}

export const expiryReason = 'authorization_expired'

const reviewAfterMs = 24 * 60 * 60 * 1000

/** When the provider is asked again, by how often it has been asked. */
const delaysMs = [10_000, 30_000, 120_000, 600_000, 3_600_000] as const

export function askAgainAt(operation: Pick<Operation, 'attemptCount'>, now: Date): Date {
  const delayMs = delaysMs[Math.max(operation.attemptCount, 1) - 1] ?? delaysMs[4]
  return new Date(now.getTime() + delayMs)
}

/** Not yet known how it ended. At most one per transaction. */
export function isInFlight(operation: Pick<Operation, 'state'>): boolean {
  return operation.state === 'in_progress' || operation.state === 'pending' || operation.state === 'unknown'
}

/** Somebody is calling the provider at this moment, or died less than a lease ago. */
export function isLeased(operation: Operation, now: Date): boolean {
  return operation.state === 'in_progress' && operation.dueAt !== null && operation.dueAt > now
}

/** The event that tells how an operation ended. Null for the first step of two: the second one's tells of both. */
export function eventOf(operation: Operation) {
  const failed = operation.state !== 'succeeded'
  if (operation.stage === 'authorize' && !failed) return null
  const name = operation.stage === null ? operation.type : 'authorize.and.capture'
  return failed
    ? (`payment-proxy.transactions.${name}.failed` as const)
    : (`payment-proxy.transactions.${name}` as const)
}

/** `unknown` for more than 24 h shows as `needs_review`; underneath it stays unknown, and the provider is still asked. */
export function shownState(operation: Operation, now: Date): OperationReply['state'] {
  const overdue = now.getTime() - operation.createdAt.getTime() >= reviewAfterMs
  return operation.state === 'unknown' && overdue ? 'needs_review' : operation.state
}

export function presentOperation(operation: Operation, now: Date): OperationReply {
  return {
    id: operation.id,
    type: operation.type,
    state: shownState(operation, now),
    amount: operation.amount,
    reason: operation.reason,
    provider_reference: operation.providerReference,
    error: operation.error,
    stage: operation.stage,
    attempt_count: operation.attemptCount,
    created_at: operation.createdAt.toISOString(),
    completed_at: operation.completedAt?.toISOString() ?? null,
  }
}
