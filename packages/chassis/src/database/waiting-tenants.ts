import type { SqlTx } from './transaction.ts'

export interface WaitingRows {
  readonly table: string
  /** SQL: whether a row waits. */
  readonly condition: string
  /** Orders the waiting rows of a tenant. The table has an index of `tenant_id` and this column where they wait. */
  readonly column: string
  readonly tenantsMax: number
}

export interface WaitingTenant<First> {
  readonly tenantId: string
  /** The column of the first waiting row. */
  readonly first: First
}

/** Precedes the id of every tenant. */
export const beforeTenants = '00000000-0000-0000-0000-000000000000'

/** One probe of the index for each tenant, so the rows behind the first of a tenant are not read. */
const waitingSql = ({ table, condition, column }: WaitingRows) => `
  WITH RECURSIVE waiting AS (
    (SELECT tenant_id, ${column} AS first, 1 AS position FROM ${table}
     WHERE ${condition} AND tenant_id > $1::uuid ORDER BY tenant_id, ${column} LIMIT 1)
    UNION ALL
    SELECT following.tenant_id, following.first, position + 1 FROM waiting CROSS JOIN LATERAL (
      SELECT tenant_id, ${column} AS first FROM ${table}
      WHERE ${condition} AND tenant_id > waiting.tenant_id ORDER BY tenant_id, ${column} LIMIT 1) AS following
    WHERE position < $2::int
  )`

/** Tenants with waiting rows, in the order of their ids, after the id `after`. */
export function waitingTenants<First>(
  sql: SqlTx,
  rows: WaitingRows,
  after: string,
): Promise<readonly WaitingTenant<First>[]> {
  return sql.$queryRawUnsafe(
    `${waitingSql(rows)} SELECT tenant_id::text AS "tenantId", first FROM waiting ORDER BY position`,
    after,
    rows.tenantsMax,
  )
}

/**
 * Milliseconds until the first waiting row is due, where `column` is a due time: at most 0 when one is due, or when
 * more than `tenantsMax` tenants wait. Null when no row waits. By the clock of the database without `now`.
 */
export async function readNextDueMs(sql: SqlTx, rows: WaitingRows, now: Date | null): Promise<number | null> {
  const [found] = await sql.$queryRawUnsafe<[{ dueMs: number | null; tenants: number }]>(
    `${waitingSql(rows)} SELECT count(*)::int AS tenants, ${untilSql('min(first)', '$3')} AS "dueMs" FROM waiting`,
    beforeTenants,
    rows.tenantsMax + 1,
    now,
  )
  return found.tenants > rows.tenantsMax ? 0 : found.dueMs
}

/** As `readNextDueMs`, where `first` is an SQL expression with the due time of the first waiting row, or null. */
export async function nextDueAt(sql: SqlTx, first: string, now: Date | null = null): Promise<number | null> {
  const [found] = await sql.$queryRawUnsafe<[{ dueMs: number | null }]>(nextDueSql(first, '$1'), now)
  return found.dueMs
}

/** The statement of `nextDueAt`. Without `now`, an SQL expression, by the clock of the database. */
export const nextDueSql = (first: string, now = 'NULL'): string => `SELECT ${untilSql(first, now)} AS "dueMs"`

const untilSql = (time: string, now: string) =>
  `(extract(epoch FROM ${time} - coalesce(${now}::timestamptz, clock_timestamp())) * 1000)::float8`
