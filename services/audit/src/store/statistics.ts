import type { Period } from '@payments/contracts/grammar/period'
import { topCodesMax } from '@payments/contracts/services/audit/statistics'
import type { HourlyCount, RequestCount } from '../domain/statistics.ts'
import type { Tx } from './database.ts'

/** The codes that have a count in these hours. */
export function findCodes(tx: Tx, tenantId: string, hours: readonly Date[]): Promise<{ hour: Date; code: string }[]> {
  return tx.$queryRaw<{ hour: Date; code: string }[]>`
    SELECT DISTINCT hour, code FROM audit_statistics
    WHERE tenant_id = ${tenantId}::uuid AND hour = ANY(${hours}::timestamptz[]) AND code <> ''`
}

/** Adds the counts. One transaction at a time counts the records of a tenant. */
export async function addCounts(tx: Tx, tenantId: string, counts: readonly HourlyCount[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO audit_statistics (tenant_id, hour, outcome, client, code, requests)
    SELECT ${tenantId}::uuid, c.* FROM jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
      AS c (hour timestamptz, outcome text, client text, code text, requests bigint)
    ON CONFLICT (tenant_id, hour, outcome, client, code)
    DO UPDATE SET requests = audit_statistics.requests + excluded.requests`
}

/**
 * The requests of a period by interval and outcome, without a code, and the most frequent codes with their outcome,
 * without an interval. `clients` null: of every client.
 */
export function count(tx: Tx, tenantId: string, { from, to, interval }: Period, clients: string[] | null) {
  const width = `1 ${interval}`
  return tx.$queryRaw<RequestCount[]>`
    WITH counted AS MATERIALIZED (
      SELECT date_bin(${width}::interval, hour, '2000-01-01T00:00:00Z') AS starts_at, outcome, code,
             sum(requests) AS requests
      FROM audit_statistics
      WHERE tenant_id = ${tenantId}::uuid AND hour >= ${from} AND hour < ${to}
        AND (${clients}::text[] IS NULL OR client = ANY(${clients}::text[]))
      GROUP BY 1, 2, 3)
    SELECT starts_at AS "startsAt", outcome, NULL AS code, sum(requests)::bigint AS requests
    FROM counted GROUP BY 1, 2
    UNION ALL
    (SELECT NULL, outcome, code, sum(requests)::bigint FROM counted WHERE code <> ''
     GROUP BY 2, 3 ORDER BY 4 DESC, code LIMIT ${topCodesMax})`
}

/** The requests of the hours from `from` on, before `to`. */
export async function sum(tx: Tx, tenantId: string, { from, to }: { from: Date; to: Date }): Promise<number> {
  const [row] = await tx.$queryRaw<[{ requests: bigint }]>`
    SELECT coalesce(sum(requests), 0)::bigint AS requests FROM audit_statistics
    WHERE tenant_id = ${tenantId}::uuid AND hour >= ${from} AND hour < ${to}`
  return Number(row.requests)
}

/** Deletes at most `rowsMax` counts of hours before `before`, of every tenant. Returns their number. */
export function deleteCountsBefore(tx: Tx, before: Date, rowsMax: number): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM audit_statistics WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM audit_statistics WHERE hour < ${before} LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED))`
}
