import type { InspectedTask, Task, TaskKind, TaskStatus } from '@payments/contracts/webhooks-dead-letters'

export interface StoredTask {
  readonly id: string
  readonly tenantId: string | null
  readonly kind: TaskKind
  readonly status: TaskStatus
  readonly reason: string | null
  readonly ratePerSecond: number | null
  readonly total: number
  readonly done: number
  readonly createdBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** A dry run counts; otherwise a task begins. */
export type Begun = { readonly count: number } | { readonly taskId: string }

export function presentBegun(begun: Begun) {
  return 'count' in begun
    ? { status: 200 as const, body: { count: begun.count } }
    : { status: 202 as const, body: { task_id: begun.taskId } }
}

/** How many of a tenant's tasks may run at the same time. */
export const runningTasksMax = 20

export function presentTask(task: StoredTask): Task {
  const { id, kind, status, total, done } = task
  return { id, kind, status, total, done }
}

/** As operators see it. */
export function presentInspectedTask(task: StoredTask): InspectedTask {
  return {
    ...presentTask(task),
    tenant_id: task.tenantId,
    reason: task.reason,
    rate_per_second: task.ratePerSecond,
    created_by: task.createdBy,
    created_at: task.createdAt.toISOString(),
    finished_at: task.finishedAt?.toISOString() ?? null,
  }
}

const turnRowsMax = 500

/** How many rows one turn of a task changes at the most: a second's worth, or less. */
export function turnRows(ratePerSecond: number | null): number {
  return Math.min(turnRowsMax, ratePerSecond ?? turnRowsMax)
}

/** How long the next turn waits, so that over time no more than `ratePerSecond` are changed. */
export function turnWaitMs(changed: number, ratePerSecond: number | null): number {
  return ratePerSecond === null ? 0 : Math.ceil((changed / ratePerSecond) * 1000)
}
