import type { SqlTx } from './transaction.ts'
import { beforeTenants, waitingTenants } from './waiting-tenants.ts'

/** The rows that one process may lock at once. */
export interface Allowance {
  readonly limit: number
  readonly perTenantMax: number
  /** Rows of this process that are in progress, by tenant. */
  readonly inProgress: ReadonlyMap<string, number>
}

export interface Locked {
  readonly ids: readonly string[]
  /** Whether another call at once may find more rows. */
  readonly mayBeMore: boolean
}

export interface Turns {
  /** Locks due rows until the end of the transaction, which moves their `due_at`. */
  lockDue(tx: SqlTx, now: Date, allowance: Allowance): Promise<Locked>
}

/** Tenants with waiting rows that one call looks at. */
const tenantsMax = 500

/**
 * **What it does.** Locks due rows of a table, taking turns among the tenants.
 *
 * **Participants.** A table with `id`, `tenant_id`, `due_at` (null: waits for nothing) and an index of `tenant_id` and
 * `due_at` where `due_at` is not null; a transaction over all tenants; other processes.
 *
 * **Guarantees.**
 * 1. A call continues after the tenant at which the previous call ended, and then begins again. So a tenant with one
 *    row waits for at most one turn of each other tenant, however many rows they have.
 * 2. A tenant never has more than `perTenantMax` rows in progress in this process.
 * 3. Concurrent processes lock different rows.
 *
 * **Not guaranteed.** Order between tenants. Within a tenant the row that has been due longest is first.
 */
export function createTurns(table: string): Turns {
  const waiting = { table, condition: 'due_at IS NOT NULL', column: 'due_at', tenantsMax }
  let after = beforeTenants
  return {
    async lockDue(tx, now, { limit, perTenantMax, inProgress }) {
      const later = await waitingTenants<Date>(tx, waiting, after)
      const hasEnded = later.length < tenantsMax
      const wraps = hasEnded && after !== beforeTenants
      const earlier = wraps ? await waitingTenants<Date>(tx, waiting, beforeTenants) : []
      const tenants = [...later, ...earlier.filter(({ tenantId }) => tenantId <= after)]
      const turns = tenants
        .filter(({ first }) => first <= now)
        .map(({ tenantId }) => ({ tenantId, limit: perTenantMax - (inProgress.get(tenantId) ?? 0) }))
        .filter((turn) => turn.limit > 0)
      const rows = await lockRows(tx, table, now, turns, limit)
      const isFull = rows.length === limit
      after = (isFull ? rows.at(-1)?.tenantId : tenants.at(-1)?.tenantId) ?? beforeTenants
      return { ids: rows.map(({ id }) => id), mayBeMore: isFull || !hasEnded }
    },
  }
}

interface Row {
  readonly id: string
  readonly tenantId: string
}

function lockRows(
  tx: SqlTx,
  table: string,
  now: Date,
  turns: readonly { readonly tenantId: string; readonly limit: number }[],
  limit: number,
): Promise<readonly Row[]> {
  if (turns.length === 0) return Promise.resolve([])
  return tx.$queryRawUnsafe(
    `SELECT due.id::text AS id, turn."tenantId"::text AS "tenantId"
     FROM jsonb_to_recordset($1::jsonb) AS turn("tenantId" uuid, "limit" int) CROSS JOIN LATERAL (
       SELECT id FROM ${table} WHERE tenant_id = turn."tenantId" AND due_at <= $2
       ORDER BY due_at LIMIT turn."limit" FOR UPDATE SKIP LOCKED) AS due
     LIMIT $3::int`,
    JSON.stringify(turns),
    now,
    limit,
  )
}
