import type { SqlTx } from './transaction.ts'
import { beforeTenants, readNextDueMs, waitingTenants } from './waiting-tenants.ts'

/** The rows that one process may lock at once. */
export interface Allowance {
  readonly limit: number
  readonly perTenantMax: number
  /** Rows of this process that are in progress, by tenant. */
  readonly inProgress?: ReadonlyMap<string, number>
}

interface Locked {
  readonly ids: readonly string[]
  /** Whether another call at once may find more rows. */
  readonly mayBeMore: boolean
}

interface Found {
  readonly rows: readonly Row[]
  readonly mayBeMore: boolean
}

export interface Row {
  readonly id: string
  readonly tenantId: string
}

export interface Turns {
  /** Locks due rows until the end of the transaction, which moves their due time. */
  lockDue(tx: SqlTx, now: Date, allowance: Allowance): Promise<Locked>
  /** Finds due rows, each of which is locked later in its own transaction. */
  findDue(tx: SqlTx, now: Date, allowance: Allowance): Promise<Found>
  /** When the next row is due (`readNextDueMs`). Without `now`, by the clock of the database. */
  nextDue(sql: SqlTx, now?: Date): Promise<number | null>
}

export interface TurnsOptions {
  /** The column with the time from which a row is due; null: waits for nothing. */
  readonly dueAt?: string
  /** The order of the rows of a tenant, from the due time on. Default: the due time. */
  readonly order?: string
}

/** Tenants with waiting rows that one call looks at. */
const tenantsMax = 500

/**
 * **What it does.** Locks or finds due rows, taking turns among the tenants.
 *
 * **Participants.** A table with an index of `tenant_id` and due time where the due time is not null; a transaction
 * over all tenants.
 *
 * **Guarantees.**
 * 1. A call continues after the tenant at which the previous call ended, and then begins again. So a row waits for at
 *    most one turn of each other tenant.
 * 2. A tenant never has more than `perTenantMax` rows in progress in this process.
 * 3. Processes lock different rows.
 * 4. A call looks at `tenantsMax` tenants at most; the next call continues after them.
 *
 * **Not guaranteed.** Order between tenants. Within a tenant the row that has been due longest is first.
 */
export function createTurns(table: string, { dueAt = 'due_at', order = dueAt }: TurnsOptions = {}): Turns {
  const waiting = { table, condition: `${dueAt} IS NOT NULL`, column: dueAt, tenantsMax }
  const due = (locking: string) => dueSql(table, { dueAt, order, locking })
  const [finding, locking] = [due(''), due('FOR UPDATE SKIP LOCKED')]
  let after = beforeTenants
  const take = async (tx: SqlTx, now: Date, allowance: Allowance, sql: string): Promise<Found> => {
    const { limit, perTenantMax, inProgress } = allowance
    const later = await waitingTenants<Date>(tx, waiting, after)
    const hasEnded = later.length < tenantsMax
    const wraps = hasEnded && after !== beforeTenants
    const earlier = wraps ? await waitingTenants<Date>(tx, waiting, beforeTenants) : []
    const tenants = [...later, ...earlier.filter(({ tenantId }) => tenantId <= after)]
    const turns = tenants
      .filter(({ first }) => first <= now)
      .map(({ tenantId }) => ({ tenantId, limit: perTenantMax - (inProgress?.get(tenantId) ?? 0) }))
      .filter((turn) => turn.limit > 0)
    const rows = turns.length === 0 ? [] : await tx.$queryRawUnsafe<Row[]>(sql, JSON.stringify(turns), now, limit)
    const isFull = rows.length === limit
    after = (isFull ? rows.at(-1)?.tenantId : tenants.at(-1)?.tenantId) ?? beforeTenants
    return { rows, mayBeMore: isFull || !hasEnded }
  }
  return {
    findDue: (tx, now, allowance) => take(tx, now, allowance, finding),
    lockDue: async (tx, now, allowance) => {
      const { rows, mayBeMore } = await take(tx, now, allowance, locking)
      return { ids: rows.map(({ id }) => id), mayBeMore }
    },
    nextDue: (sql, now) => readNextDueMs(sql, waiting, now ?? null),
  }
}

const dueSql = (table: string, { dueAt, order, locking }: Required<TurnsOptions> & { locking: string }) => `
  SELECT due.id::text AS id, turn."tenantId"::text AS "tenantId"
  FROM jsonb_to_recordset($1::jsonb) AS turn("tenantId" uuid, "limit" int) CROSS JOIN LATERAL (
    SELECT id FROM ${table} WHERE tenant_id = turn."tenantId" AND ${dueAt} <= $2
    ORDER BY ${order} LIMIT turn."limit" ${locking}) AS due
  LIMIT $3::int`
