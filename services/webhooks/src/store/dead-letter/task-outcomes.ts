import type { SqlTx } from '@payments/chassis/database/transaction'

/**
 * **What it does.** Counts what became of the deliveries that a redrive or a recovery restarted, and stores the counts
 * in the row of the task. So a read of tasks reads no delivery.
 *
 * **Guarantees.** A task is counted until it has ended and none of its deliveries waits; the counts then stay. The
 * pause before the next count grows with the deliveries and the age of the task, from a second to a minute.
 *
 * **Not guaranteed.** A delivery belongs to the last task that restarted it; earlier tasks count it as superseded,
 * unless their counts are final.
 */
interface Counted {
  /** Null: a task of an operator. */
  readonly tenantId: string | null
  readonly isChanged: boolean
}

/** Tasks of one statement. */
export const countedTasksMax = 5

/** Counts the tasks that are due, the most overdue first: at most `countedTasksMax`. */
export function countDueOutcomes(tx: SqlTx): Promise<Counted[]> {
  return tx.$queryRawUnsafe<Counted[]>(
    `WITH due AS MATERIALIZED (
       SELECT * FROM tasks WHERE outcomes_due_at <= now() ORDER BY outcomes_due_at LIMIT ${countedTasksMax}
       FOR UPDATE SKIP LOCKED
     ), counted AS MATERIALIZED (
       SELECT due.id AS task_id, c.* FROM due CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE d.status = 'delivered')::int AS delivered,
           count(*) FILTER (WHERE d.status = 'dead')::int AS dead,
           count(*) FILTER (WHERE d.status = 'discarded')::int AS discarded,
           count(*) FILTER (WHERE d.status NOT IN ('delivered', 'dead', 'discarded'))::int AS waiting
         FROM deliveries d WHERE d.task_id = due.id) AS c
     )
     UPDATE tasks t SET delivered = c.delivered, dead = c.dead, discarded = c.discarded, waiting = c.waiting,
       outcomes_at = now(),
       outcomes_due_at = CASE WHEN t.status = 'running' OR c.waiting > 0 THEN now() + least(60, greatest(1, t.done / 1000.0,
         extract(epoch FROM now() - coalesce(t.finished_at, now())) / 20)) * interval '1 second' END
     FROM due, counted c WHERE t.id = due.id AND c.task_id = due.id
     RETURNING t.tenant_id AS "tenantId", due.outcomes_at IS NULL OR t.outcomes_due_at IS NULL
       OR (due.delivered, due.dead, due.discarded, due.waiting)
         <> (c.delivered, c.dead, c.discarded, c.waiting) AS "isChanged"`,
  )
}
