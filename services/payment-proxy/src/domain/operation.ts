import type {
  Operation as OperationReply,
  openStates,
  PaymentAction,
  PaymentAuthentication,
} from '@payments/contracts/nouns/transaction'

export type OperationType = OperationReply['type']

/**
 * As stored: `needs_review` is only shown. While it is `action_required`, no process calls the provider. `reversed`: a
 * refund that succeeded, and that the provider failed later.
 */
export type OperationState = Exclude<OperationReply['state'], 'needs_review'>

/** As the API shows the state of an operation without an outcome. */
export type OpenState = (typeof openStates)[number]
type Stage = NonNullable<OperationReply['stage']>
export type OperationError = Readonly<NonNullable<OperationReply['error']>>

/** The decision of a person about an operation whose outcome the provider does not report. */
export type Resolution = NonNullable<OperationReply['resolution']>

/** The void of a transaction whose authorization waited for the payer: it follows the end of the authorization. */
interface VoidRequest {
  readonly reason: string | null
  readonly trace_id: string
  readonly actor: string
  readonly requested_at: string
}

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
  /** When the provider last reported that the operation is pending. */
  readonly pendingReportedAt: Date | null
  /** The action that the payer must take. Null once the operation has ended. */
  readonly action: PaymentAction | null
  readonly authentication: PaymentAuthentication | null
  readonly voidRequest: VoidRequest | null
  readonly resolution: Resolution | null
  /** Number of attempts started at the provider, syncs included. */
  readonly attemptCount: number
  readonly dueAt: Date | null
  /** The account that the operation was or will be sent to, by `nameAccount`. Null: not known. */
  readonly accountName: string | null
  readonly traceId: string
  /** `api_key:<id>`, `user:<id>`, `payer` or `platform`. */
  readonly actor: string
  readonly createdAt: Date
  readonly completedAt: Date | null
}

/** The decision of a verb about a new operation. */
export interface OperationPlan {
  readonly type: OperationType
  readonly amount: number
  readonly amountReleased?: number
  readonly stage?: Stage
  readonly reason?: string
  readonly items?: readonly RefundItem[]
}

/** The transaction of a new operation, and the operations before it. */
interface Earlier {
  readonly transaction: Readonly<Record<'id' | 'tenantId', string>>
  readonly operations: readonly Operation[]
}

const nothingYet = {
  amountReleased: 0,
  stage: null,
  reason: null,
  items: null,
  providerReference: null,
  error: null,
  openReason: null,
  pendingReportedAt: null,
  action: null,
  authentication: null,
  voidRequest: null,
  resolution: null,
  completedAt: null,
} as const

/** A new operation of the transaction, in progress. `dueAt`: the end of the lease of the process that sends it. */
export function newOperation(
  plan: OperationPlan & Pick<Operation, 'id' | 'accountName' | 'traceId' | 'actor' | 'dueAt'>,
  { transaction, operations }: Earlier,
  createdAt: Date,
): Operation {
  const { id: transactionId, tenantId } = transaction
  const ids = { tenantId, transactionId, number: operations.length + 1 }
  return { ...nothingYet, ...plan, ...ids, state: 'in_progress', attemptCount: 1, createdAt }
}

export const authorizationExpired = 'authorization_expired'

const reviewAfterMs = 24 * 60 * 60 * 1000

const [delayMsMin, delayMsMax] = [10_000, 60 * 60 * 1000]

/** The next attempt at what is open since then: as much later as it has been open, within 10 s and an hour. */
export function nextAttemptAfter(since: number, now: Date): Date {
  return new Date(now.getTime() + Math.min(delayMsMax, Math.max(delayMsMin, now.getTime() - since)))
}

/**
 * When the outcome is requested next. The number of attempts does not count: syncs of persons and returns of payers are
 * attempts too, and must not delay the attempts of the platform.
 */
export function nextAttemptAt(operation: Cancelable & Pick<Operation, 'createdAt'>, now: Date): Date {
  return nextAttemptAfter(mustCancelSince(operation, now) ?? operation.createdAt.getTime(), now)
}

/** Whether the outcome is open. A transaction has at most one open operation. */
export function isOpen(operation: Pick<Operation, 'state'>): boolean {
  return openStored.has(operation.state)
}

const openStored: ReadonlySet<OperationState> = new Set(['in_progress', 'action_required', 'pending', 'unknown'])

/** The payer has at most this time, whatever the provider reports. */
const actionMsMax = 30 * 60 * 1000

/** The action as recorded: the latest address, with the first end of the time for it. */
export function actionAfter(
  { action: before, createdAt }: Pick<Operation, 'action' | 'createdAt'>,
  { type, url, expires_at }: PaymentAction,
): PaymentAction {
  const ends = [createdAt.getTime() + actionMsMax, Date.parse(expires_at), Date.parse(before?.expires_at ?? expires_at)]
  return { type, url, expires_at: new Date(Math.min(...ends)).toISOString() }
}

/** Whether the provider should be requested to cancel: the time of the payer is over, or a void waits. */
export const mustCancel = (operation: Cancelable, now: Date): boolean => mustCancelSince(operation, now) !== null

/** In milliseconds since 1970. Null: it must not be canceled. */
function mustCancelSince({ state, action, voidRequest }: Cancelable, now: Date): number | null {
  if (action === null || !awaitsPayer({ state, action })) return null
  if (voidRequest !== null) return Date.parse(voidRequest.requested_at)
  const expiresAt = Date.parse(action.expires_at)
  return expiresAt <= now.getTime() ? expiresAt : null
}

type Cancelable = Pick<Operation, 'state' | 'action' | 'voidRequest'>

/** Whether the payer can still confirm at their bank, as far as the provider has reported. */
export function awaitsPayer({ state, action }: Pick<Operation, 'state' | 'action'>): boolean {
  return action !== null && (state === 'action_required' || state === 'in_progress' || state === 'unknown')
}

/**
 * Whether an operation in progress has a lease that has not expired. A pending operation, or an unknown one without an
 * action, is never leased in this sense: several processes may read its outcome at once.
 */
export function isLeased(operation: Pick<Operation, 'state' | 'dueAt'>, now: Date): boolean {
  return operation.state === 'in_progress' && operation.dueAt !== null && operation.dueAt > now
}

/**
 * Event type of an ended operation. Null for a successful first step of two: the event of the second reports both.
 * Where a void follows instead of the second step, the first has its own event.
 */
export function endEventType(operation: Operation) {
  const failed = operation.state !== 'succeeded'
  const isFirstStep = operation.stage === 'authorize' && !failed
  if (isFirstStep && operation.voidRequest === null) return null
  const name = operation.stage === null || isFirstStep ? operation.type : 'authorize.and.capture'
  return failed
    ? (`payment-proxy.transactions.${name}.failed` as const)
    : (`payment-proxy.transactions.${name}` as const)
}

/** An operation whose outcome has been unknown since this instant or before needs a review. */
export function reviewBefore(now: Date): Date {
  return new Date(now.getTime() - reviewAfterMs)
}

/**
 * Shows an operation that waits for the payer as `action_required` while the payer has time, then as `unknown`, also
 * while a process requests its outcome or cancels it. Shows `needs_review` after 24 h of `unknown`, and of `pending`
 * after 24 h without a report of the provider. The stored state stays as it is, and syncs continue. `shownState` of
 * the store says the same in SQL.
 */
export function presentState(operation: Shown, now: Date): OperationReply['state'] {
  const hasTime = operation.action !== null && Date.parse(operation.action.expires_at) > now.getTime()
  const waiting = hasTime ? 'action_required' : 'unknown'
  const state = awaitsPayer(operation) ? waiting : operation.state
  const isPending = state === 'pending'
  const reportedAt = (isPending ? operation.pendingReportedAt : null) ?? operation.createdAt
  return (isPending || state === 'unknown') && reportedAt <= reviewBefore(now) ? 'needs_review' : state
}

type Shown = Pick<Operation, 'state' | 'action' | 'pendingReportedAt' | 'createdAt'>

/** An operation as responses show it: only refunds need the items of earlier ones. */
export type ShownOperation = Omit<Operation, 'items' | 'accountName'>

export function presentOperation(operation: ShownOperation, now: Date): OperationReply {
  return {
    id: operation.id,
    type: operation.type,
    state: presentState(operation, now),
    amount: operation.amount,
    reason: operation.reason,
    provider_reference: operation.providerReference,
    error: operation.error,
    open_reason: operation.openReason,
    authentication: operation.authentication,
    resolution: operation.resolution,
    stage: operation.stage,
    attempt_count: operation.attemptCount,
    trace_id: operation.traceId,
    actor: presentActor(operation.actor),
    created_at: operation.createdAt.toISOString(),
    completed_at: operation.completedAt?.toISOString() ?? null,
  }
}

/** The members of a problem about an operation that failed. */
export function failureMembers({ id, transactionId, error, stage }: Operation) {
  return {
    transaction_id: transactionId,
    operation_id: id,
    decline_code: error?.decline_code ?? null,
    retryable: error?.retryable ?? false,
    provider_code: error?.provider_code ?? null,
    ...(stage === null ? {} : { stage }),
  }
}

type Actor = OperationReply['actor']

/** As `actorName` wrote it: the identifier of a user may have colons. */
function presentActor(actor: string): Actor {
  const at = actor.indexOf(':')
  const type = at < 0 ? actor : actor.slice(0, at)
  return { type: type as Actor['type'], id: at < 0 ? null : actor.slice(at + 1) }
}
