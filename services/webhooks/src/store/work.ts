import type { SqlTx as Sql } from '@payments/chassis/transaction'
import { markedSql, waitingStatusSql } from './line.ts'

/** What a message to a worker is made of. */
export interface WorkItem {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly attemptCount: number
}

const rowsBehindMax = '15 minutes'

/**
 * Puts what is due and has nobody into the line of its destination: waits that rest in the row, leases that ran out, and, unless
 * `queuedToo` is false, messages that did not come (those 15 minutes overdue in any case). Several sweepers share the work.
 * Returns whose they are.
 */
export function lineUpDue(
  sql: Sql,
  { rowsMax, queuedToo }: { rowsMax: number; queuedToo: boolean },
): Promise<{ subscriptionId: string }[]> {
  return sql.$queryRawUnsafe<{ subscriptionId: string }[]>(
    `WITH due AS MATERIALIZED (
       SELECT id AS due_id FROM deliveries
       WHERE sweep_at <= now() AND (NOT queued OR $2 OR sweep_at <= now() - interval '${rowsBehindMax}')
       ORDER BY sweep_at LIMIT $1::int FOR UPDATE SKIP LOCKED
     ), lined AS (
       UPDATE deliveries d SET queued = false, waiting = true, sweep_at = NULL, updated_at = now(), status = ${waitingStatusSql}
       FROM due, subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
       WHERE d.id = due_id AND s.id = d.subscription_id
       RETURNING d.id, d.tenant_id, d.subscription_id
     ), marked AS (${markedSql})
     SELECT subscription_id AS "subscriptionId" FROM lined`,
    rowsMax,
    queuedToo,
  )
}
