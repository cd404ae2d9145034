import type { SqlTx } from '@payments/chassis/database/transaction'
import type { RequestReport } from '@payments/contracts/endpoints/authorization-lease'

/** Three reports of an idle replica. */
const presenceSeconds = 3

/**
 * Renews the presences of the replicas, each given once. Returns the number of live replicas, these included. Rows are
 * locked in the order of their ids.
 */
export async function announceReplicas(sql: SqlTx, replicas: readonly string[]): Promise<number> {
  const [{ others }] = await sql.$queryRawUnsafe<[{ others: number }]>(
    `WITH announced AS (
       INSERT INTO gateway_replicas (id, expires_at)
       SELECT id, now() + make_interval(secs => $2) FROM unnest($1::uuid[]) AS given (id) ORDER BY id
       ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at)
     SELECT count(*)::int AS others FROM gateway_replicas WHERE id <> ALL ($1::uuid[]) AND expires_at > now()`,
    replicas,
    presenceSeconds,
  )
  return replicas.length + others
}

/**
 * Adds requests to the buckets of their subjects. Returns the seconds until each bucket is full again, by subject.
 * Rows are locked in the order of their subjects, so concurrent reports do not deadlock.
 */
export async function addRequests(sql: SqlTx, counts: RequestReport['requests']): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.$queryRawUnsafe<{ subject: string; fullIn: number }[]>(
    `INSERT INTO request_rates AS r (subject, full_at)
     SELECT subject, now() + make_interval(secs => sum(seconds))
       FROM unnest($1::text[], $2::float8[]) AS given (subject, seconds) GROUP BY subject ORDER BY subject
     ON CONFLICT (subject) DO UPDATE SET full_at = GREATEST(r.full_at, now()) + (excluded.full_at - now())
     RETURNING subject, extract(epoch FROM full_at - now())::float8 AS "fullIn"`,
    counts.map(({ subject }) => subject),
    counts.map(({ requests, per_second: perSecond }) => requests / perSecond),
  )
  return new Map(rows.map(({ subject, fullIn }) => [subject, fullIn]))
}
