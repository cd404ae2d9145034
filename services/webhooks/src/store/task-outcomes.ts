import type { SqlTx } from '@payments/chassis/database/transaction'

/**
 * **What it does.** Counts what became of the deliveries that a redrive or a recovery restarted, and stores the counts
 * in the row of the task. So a read of tasks reads no delivery.
 *
 * **Guarantees.** A task is counted until it has ended and none of its deliveries waits; the counts then stay. The
 * pause before the next count grows with the deliveries and the age of the task, from a second to a minute.
 *
 * **Not guaranteed.** That counts of one task are taken one at a time. A delivery belongs to the last task that
 * restarted it; earlier tasks count it as superseded, unless their counts are final.
 */
const dueTasksMax = 20

/** Tasks whose outcomes are due, the most overdue first. */
export async function listDueOutcomes(tx: SqlTx): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id FROM tasks WHERE outcomes_due_at <= now() ORDER BY outcomes_due_at LIMIT ${dueTasksMax}`,
  )
  return rows.map(({ id }) => id)
}

/** Returns the tenant of the task when a count changed; null for a task of an operator. */
export async function countOutcomes(tx: SqlTx, id: string): Promise<{ readonly tenantId: string | null } | undefined> {
  const [changed] = await tx.$queryRawUnsafe<{ tenantId: string | null; isChanged: boolean }[]>(
    `WITH due AS MATERIALIZED (
       SELECT * FROM tasks WHERE id = $1::uuid AND outcomes_due_at <= now() FOR UPDATE SKIP LOCKED
     ), counted AS MATERIALIZED (
       SELECT count(*) FILTER (WHERE d.status = 'delivered')::int AS delivered,
         count(*) FILTER (WHERE d.status = 'dead')::int AS dead,
         count(*) FILTER (WHERE d.status = 'discarded')::int AS discarded,
         count(*) FILTER (WHERE d.status NOT IN ('delivered', 'dead', 'discarded'))::int AS waiting
       FROM due JOIN deliveries d ON d.task_id = due.id AND d.task_id = $1::uuid
     )
     UPDATE tasks t SET delivered = c.delivered, dead = c.dead, discarded = c.discarded, waiting = c.waiting,
       outcomes_at = now(),
       outcomes_due_at = CASE WHEN t.status = 'running' OR c.waiting > 0 THEN now() + least(60, greatest(1, t.done / 1000.0,
         extract(epoch FROM now() - coalesce(t.finished_at, now())) / 20)) * interval '1 second' END
     FROM due, counted c WHERE t.id = due.id
     RETURNING t.tenant_id AS "tenantId", due.outcomes_at IS NULL OR t.outcomes_due_at IS NULL
       OR (due.delivered, due.dead, due.discarded, due.waiting)
         <> (c.delivered, c.dead, c.discarded, c.waiting) AS "isChanged"`,
    id,
  )
  return changed?.isChanged === true ? { tenantId: changed.tenantId } : undefined
}
