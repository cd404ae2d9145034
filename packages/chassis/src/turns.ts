import type { SqlTx } from './transaction.ts'

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

const first = '00000000-0000-0000-0000-000000000000'
/** Tenants with waiting rows that one call looks at. */
const scanMax = 500

interface Tenant {
  readonly tenantId: string
  readonly isDue: boolean
}

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
  let after = first
  return {
    async lockDue(tx, now, { limit, perTenantMax, inProgress }) {
      const later = await waitingTenants(tx, table, now, after)
      const hasEnded = later.length < scanMax
      const earlier = hasEnded && after !== first ? await waitingTenants(tx, table, now, first) : []
      const tenants = [...later, ...earlier.filter(({ tenantId }) => tenantId <= after)]
      const turns = tenants
        .filter(({ isDue }) => isDue)
        .map(({ tenantId }) => ({ tenantId, limit: perTenantMax - (inProgress.get(tenantId) ?? 0) }))
        .filter((turn) => turn.limit > 0)
      const rows = await lockRows(tx, table, now, turns, limit)
      const isFull = rows.length === limit
      after = (isFull ? rows.at(-1)?.tenantId : tenants.at(-1)?.tenantId) ?? first
      return { ids: rows.map(({ id }) => id), mayBeMore: isFull || !hasEnded }
    },
  }
}

/** One probe of the index per tenant, and one for its earliest row: rows that wait behind it are not read. */
function waitingTenants(tx: SqlTx, table: string, now: Date, after: string): Promise<Tenant[]> {
  return tx.$queryRawUnsafe(
    `WITH RECURSIVE waiting AS (
       (SELECT tenant_id, due_at, 1 AS position FROM ${table}
        WHERE due_at IS NOT NULL AND tenant_id > $1::uuid ORDER BY tenant_id, due_at LIMIT 1)
       UNION ALL
       SELECT following.tenant_id, following.due_at, position + 1 FROM waiting CROSS JOIN LATERAL (
         SELECT tenant_id, due_at FROM ${table}
         WHERE due_at IS NOT NULL AND tenant_id > waiting.tenant_id ORDER BY tenant_id, due_at LIMIT 1) AS following
       WHERE position < ${scanMax}
     )
     SELECT tenant_id::text AS "tenantId", due_at <= $2 AS "isDue" FROM waiting ORDER BY position`,
    after,
    now,
  )
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
