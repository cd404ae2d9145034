import { newId } from '@payments/chassis/base/id'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { SqlTx } from '@payments/chassis/database/transaction'
import type { RequestReport } from '@payments/contracts/endpoints/authorization-lease'
import type { Tx } from './database.ts'

/** The counters that all replicas of the gateway share. */

export interface FailureWindow {
  readonly failures: number
  readonly endsInSeconds: number
}

/** Adds failures in one statement, so that no concurrent addition is lost. An expired window starts again. */
export async function addFailures(
  tx: Tx,
  address: string,
  failures: number,
  windowSeconds: number,
): Promise<FailureWindow> {
  const [window] = await tx.$queryRaw<[FailureWindow]>`
    INSERT INTO failed_authentications AS f (address, failures, ends_at)
    VALUES (${address}, ${failures}, clock_timestamp() + make_interval(secs => ${windowSeconds}))
    ON CONFLICT (address) DO UPDATE SET
      failures = CASE WHEN f.ends_at <= clock_timestamp() THEN 0 ELSE LEAST(f.failures, 1000000000) END + excluded.failures,
      ends_at = CASE WHEN f.ends_at <= clock_timestamp() THEN excluded.ends_at ELSE f.ends_at END
    RETURNING failures, extract(epoch FROM ends_at - clock_timestamp())::float8 AS "endsInSeconds"`
  return { failures: window.failures, endsInSeconds: Math.max(0, window.endsInSeconds) }
}

export interface RevealLimit {
  readonly attemptsMax: number
  readonly windowSeconds: number
}

/**
 * Counts an attempt of the actor. Returns 0, or the seconds until the next attempt is allowed. Attempts of one actor
 * run one after another.
 */
export async function takeRevealAttempt(
  tx: Tx,
  tenantId: string,
  actor: string,
  { attemptsMax, windowSeconds }: RevealLimit,
): Promise<number> {
  await lockForTransaction(tx, `api-key.reveals:${tenantId}:${actor}`)
  const recent = await tx.$queryRaw<{ leavesIn: number }[]>`
    SELECT extract(epoch FROM attempted_at - clock_timestamp())::float8 + ${windowSeconds} AS "leavesIn"
      FROM reveal_attempts
     WHERE tenant_id = ${tenantId}::uuid AND actor = ${actor}
       AND attempted_at > clock_timestamp() - make_interval(secs => ${windowSeconds})
     ORDER BY attempted_at`
  const [oldest] = recent
  if (oldest !== undefined && recent.length >= attemptsMax) return Math.max(1, Math.ceil(oldest.leavesIn))
  await tx.$executeRaw`
    INSERT INTO reveal_attempts (id, tenant_id, actor, attempted_at)
    VALUES (${newId()}::uuid, ${tenantId}::uuid, ${actor}, clock_timestamp())`
  return 0
}

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
