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

/**
 * Tenants with waiting rows, in the order of their ids, after the id `after`: one probe of the index for each, so the
 * rows behind the first are not read.
 */
export function waitingTenants<First>(
  sql: SqlTx,
  { table, condition, column, tenantsMax }: WaitingRows,
  after: string,
): Promise<readonly WaitingTenant<First>[]> {
  return sql.$queryRawUnsafe(
    `WITH RECURSIVE waiting AS (
       (SELECT tenant_id, ${column} AS first, 1 AS position FROM ${table}
        WHERE ${condition} AND tenant_id > $1::uuid ORDER BY tenant_id, ${column} LIMIT 1)
       UNION ALL
       SELECT following.tenant_id, following.first, position + 1 FROM waiting CROSS JOIN LATERAL (
         SELECT tenant_id, ${column} AS first FROM ${table}
         WHERE ${condition} AND tenant_id > waiting.tenant_id ORDER BY tenant_id, ${column} LIMIT 1) AS following
       WHERE position < $2::int
     )
     SELECT tenant_id::text AS "tenantId", first FROM waiting ORDER BY position`,
    after,
    tenantsMax,
  )
}
