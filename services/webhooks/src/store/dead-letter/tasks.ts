import { newId } from '@payments/chassis/base/id'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { databaseNow } from '@payments/chassis/database/database-now'
import { bytesSql, partOfList, type SizedTable } from '@payments/chassis/database/list-part'
import { purgeRows } from '@payments/chassis/database/purges'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { nextDueAt } from '@payments/chassis/database/waiting-tenants'
import type { ListPart } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { TaskKind } from '@payments/contracts/services/webhooks/dead-letters'
import type { DeadLetterTaskRequest, Selection } from '../../domain/dead-letter/dead-letter.ts'
import type { Recovery } from '../../domain/dead-letter/recovery.ts'
import { type AcceptedTask, hasFurtherTask } from '../../domain/dead-letter/task.ts'
import type { TaskModel } from '../../generated/models.ts'
import type { Tx } from '../database.ts'
import { withBounds } from '../id-bounds.ts'
import { countDeadLetters } from './dead-letters.ts'

/** `tenantId` null: a task of an operator. Operators also see and cancel the tasks of all tenants. */
export type TaskRow = TaskModel

export type TaskInsert = Pick<TaskRow, 'kind' | 'reason' | 'ratePerSecond' | 'total' | 'createdBy'> & {
  readonly selection: Selection | Recovery
}

/**
 * Before the rows of a new task of the actor `by` are counted. Waits for no other start. `tenantId` null: a task of an
 * operator. Throws too_many_tasks.
 */
export async function requireFurtherTask(tx: Tx, tenantId: string | null, by: string): Promise<void> {
  const running = await tx.task.findMany({ where: { tenantId, status: 'running' }, select: { createdBy: true } })
  const own = running.filter(({ createdBy }) => createdBy === by).length
  if (!hasFurtherTask({ own, others: running.length - own })) throw new Problem(problems.too_many_tasks)
}

/** Starts a task and returns its id. A lock serializes the starts of one tenant. Throws too_many_tasks. */
export async function insertTask(tx: Tx, tenantId: string | null, insert: TaskInsert): Promise<string> {
  await lockForTransaction(tx, `tasks:${tenantId ?? 'operators'}`)
  await requireFurtherTask(tx, tenantId, insert.createdBy)
  const { id } = await tx.task.create({
    data: { ...insert, selection: { ...insert.selection }, id: newId(), tenantId },
  })
  return id
}

/** Starts a task; a dry run only counts the dead letters. Throws too_many_tasks. */
export async function requestTask(
  tx: Tx,
  tenantId: string | null,
  kind: 'redrive' | 'discard',
  { selection, dryRun, reason, ratePerSecond }: DeadLetterTaskRequest,
  by: string,
): Promise<AcceptedTask> {
  if (!dryRun) await requireFurtherTask(tx, tenantId, by)
  const countedAt = await databaseNow(tx)
  const count = await countDeadLetters(tx, tenantId, selection)
  if (dryRun) return { count, countedAt }
  const insert = { kind, selection, reason, ratePerSecond, total: count, createdBy: by }
  return { taskId: await insertTask(tx, tenantId, insert) }
}

const ofTenant = (tenantId: string | null) => (tenantId === null ? {} : { tenantId })

/** `kind` undefined: a task of any kind. */
export function findTask(tx: Tx, tenantId: string | null, id: string, kind?: TaskKind): Promise<TaskRow | null> {
  return tx.task.findFirst({ where: { ...ofTenant(tenantId), id, ...(kind === undefined ? {} : { kind }) } })
}

const sized: SizedTable = { table: 'tasks', bytes: bytesSql(['selection', 'reason']) }

/** Newest first. */
export async function listTasks(
  tx: Tx,
  tenantId: string | null,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<ListPart<TaskRow, string>> {
  const where = { ...ofTenant(tenantId), ...(before === undefined ? {} : { id: { lt: before } }) }
  const orderBy = { id: 'desc' } as const
  const found = await tx.task.findMany({ where, orderBy, take: limit + 1, select: { id: true } })
  return partOfList(tx, tenantId, { of: sized, ids: found.map(({ id }) => id), limit }, (ids) =>
    tx.task.findMany({ where: { ...ofTenant(tenantId), id: { in: ids } }, orderBy }),
  )
}

/** Waits for the batch in progress. False when no such task is running. */
export async function cancelRunningTask(tx: Tx, tenantId: string | null, id: string): Promise<boolean> {
  const canceled = await tx.$executeRawUnsafe(
    `UPDATE tasks SET status = 'canceled', finished_at = now()
     WHERE id = $1::uuid AND ($2::uuid IS NULL OR tenant_id = $2::uuid) AND status = 'running'`,
    id,
    tenantId,
  )
  return canceled === 1
}

/** When the next batch of a task, or the next count of its outcomes, is due (`nextDueAt`). */
export const nextTask = (sql: SqlTx): Promise<number | null> =>
  nextDueAt(
    sql,
    `least((SELECT min(next_batch_at) FROM tasks WHERE status = 'running'), (SELECT min(outcomes_due_at) FROM tasks))`,
  )

/** Due tasks, in turn: the most overdue of each tenant first, then the second of each. A tenant has few. */
export async function listDueTasks(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id FROM tasks WHERE status = 'running' AND next_batch_at <= now()
     ORDER BY row_number() OVER (PARTITION BY tenant_id ORDER BY next_batch_at), next_batch_at LIMIT $1::int`,
    limit,
  )
  return rows.map(({ id }) => id)
}

/** Locks the task for a batch. Null when another dispatcher runs the task, or it is no longer due. */
export async function lockDueTask(tx: Tx, id: string): Promise<TaskRow | null> {
  const [free] = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id FROM tasks WHERE id = $1::uuid AND status = 'running' AND next_batch_at <= now() FOR UPDATE SKIP LOCKED`,
    id,
  )
  return free === undefined ? null : tx.task.findFirst({ where: { id } })
}

/** Records a batch, in its transaction. The caller has locked the task. */
export async function recordBatch(
  tx: Tx,
  id: string,
  { changed, position, waitMs }: { changed: number; position: string | null; waitMs: number },
): Promise<void> {
  await tx.$executeRawUnsafe(
    `UPDATE tasks SET done = done + $2::int, position = $3, failures = 0, next_batch_at = now() + $4::int * interval '1 millisecond',
       outcomes_due_at = CASE WHEN kind IN ('redrive', 'recover') THEN coalesce(outcomes_due_at, now()) END
     WHERE id = $1::uuid`,
    id,
    changed,
    position,
    waitMs,
  )
}

/** The task that created the deliveries. Their state stays. */
export async function assignTask(tx: SqlTx, tenantId: string, ids: readonly string[], taskId: string): Promise<void> {
  await tx.$executeRawUnsafe(
    `UPDATE deliveries SET task_id = $5::uuid
     WHERE tenant_id = $4::uuid AND id = ANY($1::uuid[]) AND id BETWEEN $2::uuid AND $3::uuid`,
    ...withBounds(ids),
    tenantId,
    taskId,
  )
}

/** A task that ended now, or failed. `tenantId` null: a task of an operator. */
interface EndedTask {
  readonly tenantId: string | null
  readonly status: string
}

export async function finishRunningTask(tx: Tx, id: string): Promise<EndedTask | undefined> {
  const [ended] = await tx.$queryRawUnsafe<EndedTask[]>(
    `UPDATE tasks SET status = 'done', finished_at = now() WHERE id = $1::uuid AND status = 'running'
     RETURNING tenant_id AS "tenantId", status::text`,
    id,
  )
  return ended
}

const failuresMax = 10

/**
 * Counts a failed batch and delays the next one; after ten in a row the task fails. Undefined when it no longer runs.
 */
export async function countFailedBatch(tx: Tx, id: string): Promise<EndedTask | undefined> {
  const [row] = await tx.$queryRawUnsafe<EndedTask[]>(
    `UPDATE tasks SET failures = failures + 1, next_batch_at = now() + least(60, 2 ^ failures) * interval '1 second',
       status = (CASE WHEN failures + 1 >= $2::int THEN 'failed' ELSE 'running' END)::"TaskStatus",
       finished_at = CASE WHEN failures + 1 >= $2::int THEN now() END
     WHERE id = $1::uuid AND status = 'running' RETURNING tenant_id AS "tenantId", status::text`,
    id,
    failuresMax,
  )
  return row
}

/** Deletes tasks that ended 30 days ago. */
export const purgeTasks = purgeRows('tasks', 'id', "finished_at < now() - interval '30 days'")
