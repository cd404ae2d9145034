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
