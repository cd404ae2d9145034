import type { InspectedTask, TaskKind, TaskStatus } from '@payments/contracts/services/webhooks/dead-letters'

export interface StoredTask {
  readonly id: string
  readonly tenantId: string | null
  readonly kind: TaskKind
  readonly status: TaskStatus
  /** Selection of domain/dead-letter/dead-letter.ts, or Recovery of domain/dead-letter/recovery.ts. */
  readonly selection: unknown
  readonly reason: string | null
  readonly ratePerSecond: number | null
  readonly total: number
  readonly done: number
  readonly createdBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
  readonly delivered: number
  readonly dead: number
  readonly discarded: number
  readonly waiting: number
  readonly outcomesAt: Date | null
  readonly outcomesDueAt: Date | null
}

/** The result of a request for a task: the count of a dry run, or the new task. */
export type AcceptedTask = { readonly count: number; readonly countedAt: Date } | { readonly taskId: string }

export function presentAccepted(accepted: AcceptedTask) {
  return 'count' in accepted
    ? { status: 200 as const, body: { count: accepted.count, counted_at: accepted.countedAt.toISOString() } }
    : { status: 202 as const, body: { task_id: accepted.taskId } }
}

/** Maximum running tasks per tenant, or of the operators. */
const runningTasksMax = 20

/**
 * Whether an actor who runs `own` tasks may start another one, beside the tasks of the others of its tenant. It has
 * half of what the others leave, so that none can take all.
 */
export const hasFurtherTask = ({ own, others }: { readonly own: number; readonly others: number }): boolean =>
  own < (runningTasksMax - others) / 2

/** The contract of tenants leaves `tenant_id` out. */
export function presentTask(task: StoredTask): InspectedTask {
  const { id, kind, status, total, done } = task
  return {
    ...{ id, kind, status, total, done },
    outcomes: presentOutcomes(task),
    tenant_id: task.tenantId,
    subscription_id: (task.selection as { readonly subscriptionId?: string }).subscriptionId ?? null,
    reason: task.reason,
    rate_per_second: task.ratePerSecond,
    created_by: task.createdBy,
    created_at: task.createdAt.toISOString(),
    finished_at: task.finishedAt?.toISOString() ?? null,
  }
}

function presentOutcomes(task: StoredTask): InspectedTask['outcomes'] {
  const { status, done, delivered, dead, discarded, waiting, finishedAt, outcomesAt, outcomesDueAt } = task
  if (outcomesAt === null) return null
  // `done` grows after a count, until the task has ended.
  const isWhole = finishedAt !== null && outcomesAt >= finishedAt
  const superseded = isWhole ? Math.max(0, done - delivered - dead - discarded - waiting) : 0
  const final = status !== 'running' && outcomesDueAt === null
  return { delivered, dead, waiting, discarded, superseded, counted_at: outcomesAt.toISOString(), final }
}

const batchRowsMax = 500
/** Of deliveries that are sent again: new ones to their destinations are sent after them, as their events are later. */
const sentRowsMax = 200
/** The wait of a task for a destination that is behind. */
export const behindWaitMs = 200
/** As `behindWaitMs`, of a task that reads a batch to learn its destinations. */
export const behindReadWaitMs = 1_000

/** Deliveries that wait for a destination that is behind. */
export const behindRowsMin = 50

/** Maximum rows of one batch: the rows of one second, or fewer. */
export function batchRows(ratePerSecond: number | null, isSent: boolean): number {
  const rowsMax = isSent ? sentRowsMax : batchRowsMax
  return Math.min(rowsMax, ratePerSecond ?? rowsMax)
}

/** Milliseconds until the next batch, so that at most `ratePerSecond` rows are changed over time. */
export function batchWaitMs(changed: number, ratePerSecond: number | null): number {
  return ratePerSecond === null ? 0 : Math.ceil((changed / ratePerSecond) * 1000)
}
