import type { Operation as OperationReply, openStates } from '@payments/contracts/nouns/transaction'

export type OperationType = 'authorize' | 'capture' | 'void' | 'refund'
export type OperationState =
  | 'in_progress'
  | 'succeeded'
  | 'declined'
  | 'pending'
  | 'not_attempted'
  | 'unknown'
  /** A refund that succeeded, and that the provider failed later. */
  | 'reversed'
/** As the API shows the state of an operation without an outcome. */
export type OpenState = (typeof openStates)[number]
type Stage = 'authorize' | 'capture'

export interface OperationError {
  readonly code: string
  readonly decline_code: string | null
  readonly retryable: boolean
  readonly provider_code: string | null
}

/** The decision of a person about an operation whose outcome the provider does not report. */
export type Resolution = NonNullable<OperationReply['resolution']>

export interface RefundItem {
  readonly id: string
  readonly quantity: number
}

/** Amounts are in minor units. */
export interface Operation {
  readonly id: string
  readonly tenantId: string
  readonly transactionId: string
  /** 1, 2, … within the transaction. */
  readonly number: number
  readonly type: OperationType
  readonly state: OperationState
  readonly amount: number
  /** The part that a final capture releases instead of capturing. */
  readonly amountReleased: number
  readonly stage: Stage | null
  readonly reason: string | null
  readonly items: readonly RefundItem[] | null
  readonly providerReference: string | null
  readonly error: OperationError | null
  readonly openReason: string | null
  readonly resolution: Resolution | null
  /** Number of attempts started at the provider, syncs included. */
  readonly attemptCount: number
  readonly dueAt: Date | null
  readonly traceId: string
  /** `api_key:<id>`, `user:<id>`, `payer` or `platform`. Null for an operation that began before it was stored. */
  readonly actor: string | null
  readonly createdAt: Date
  readonly completedAt: Date | null
}

/** The fields of a new operation that a verb decides. */
export interface OperationPlan {
  readonly type: OperationType
  readonly amount: number
  readonly amountReleased?: number
  readonly stage?: Stage
  readonly reason?: string
  readonly items?: readonly RefundItem[]
}

/** The id of a new operation, and the request or process that starts it. */
export interface OperationOrigin {
  readonly id: string
  readonly traceId: string
  readonly actor: string | null
}

export const authorizationExpired = 'authorization_expired'

const reviewAfterMs = 24 * 60 * 60 * 1000

/** Delay of the next sync, by the number of attempts started. */
const delaysMs = [10_000, 30_000, 120_000, 600_000, 3_600_000] as const

export function nextSyncAt(operation: Pick<Operation, 'attemptCount'>, now: Date): Date {
  const delayMs = delaysMs[Math.max(operation.attemptCount, 1) - 1] ?? delaysMs[4]
  return new Date(now.getTime() + delayMs)
}

/** Whether the outcome is open. A transaction has at most one open operation. */
export function isOpen(operation: Pick<Operation, 'state'>): boolean {
  return operation.state === 'in_progress' || operation.state === 'pending' || operation.state === 'unknown'
}

/** Whether a process calls the provider now, or crashed during the call less than a lease ago. */
export function isLeased(operation: Operation, now: Date): boolean {
  return operation.state === 'in_progress' && operation.dueAt !== null && operation.dueAt > now
}

/** Event type of an ended operation. Null for a successful first step of two: the event of the second reports both. */
export function eventTypeOf(operation: Operation) {
  const failed = operation.state !== 'succeeded'
  if (operation.stage === 'authorize' && !failed) return null
  const name = operation.stage === null ? operation.type : 'authorize.and.capture'
  return failed
    ? (`payment-proxy.transactions.${name}.failed` as const)
    : (`payment-proxy.transactions.${name}` as const)
}

/** An operation that began at this instant or before, and is `unknown`, needs a review. */
export function reviewBefore(now: Date): Date {
  return new Date(now.getTime() - reviewAfterMs)
}

/** Shows `needs_review` after 24 h of `unknown`. The stored state stays `unknown`, and syncs continue. */
export function presentState(operation: Pick<Operation, 'state' | 'createdAt'>, now: Date): OperationReply['state'] {
  return operation.state === 'unknown' && operation.createdAt <= reviewBefore(now) ? 'needs_review' : operation.state
}

export function presentOperation(operation: Operation, now: Date): OperationReply {
  return {
    id: operation.id,
    type: operation.type,
    state: presentState(operation, now),
    amount: operation.amount,
    reason: operation.reason,
    provider_reference: operation.providerReference,
    error: operation.error,
    resolution: operation.resolution,
    stage: operation.stage,
    attempt_count: operation.attemptCount,
    trace_id: operation.traceId,
    actor: presentActor(operation.actor),
    created_at: operation.createdAt.toISOString(),
    completed_at: operation.completedAt?.toISOString() ?? null,
  }
}

type Actor = NonNullable<OperationReply['actor']>

function presentActor(actor: string | null): Actor | null {
  if (actor === null) return null
  const [type, id = null] = actor.split(':')
  return { type: type as Actor['type'], id }
}
