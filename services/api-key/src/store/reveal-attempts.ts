import { newId } from '@payments/chassis/base/id'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { Tx } from './database.ts'

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
  const recent = await tx.$queryRawUnsafe<{ leavesIn: number }[]>(
    `SELECT extract(epoch FROM attempted_at - clock_timestamp())::float8 + $3 AS "leavesIn"
       FROM reveal_attempts
      WHERE tenant_id = $1::uuid AND actor = $2 AND attempted_at > clock_timestamp() - make_interval(secs => $3)
      ORDER BY attempted_at`,
    tenantId,
    actor,
    windowSeconds,
  )
  const [oldest] = recent
  if (oldest !== undefined && recent.length >= attemptsMax) return Math.max(1, Math.ceil(oldest.leavesIn))
  await tx.$executeRawUnsafe(
    `INSERT INTO reveal_attempts (id, tenant_id, actor, attempted_at) VALUES ($1::uuid, $2::uuid, $3, clock_timestamp())`,
    newId(),
    tenantId,
    actor,
  )
  return 0
}

/** Deletes attempts outside of every time window, at most `rowsMax`. Returns the number of deleted rows. */
export function purgeRevealAttempts(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `DELETE FROM reveal_attempts WHERE id = ANY (ARRAY
       (SELECT id FROM reveal_attempts WHERE attempted_at < now() - interval '1 hour' LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    rowsMax,
  )
}
