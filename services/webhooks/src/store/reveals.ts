import { lockForTransaction } from '@payments/chassis/advisory-lock'
import { newId } from '@payments/chassis/id'
import type { Tx } from './database.ts'

/**
 * Counts a reveal request of `actor`. With `countMax` requests in the last `windowSeconds`, counts nothing and
 * returns the seconds until the next one is allowed. A lock serializes the requests of one actor, so that ten at once
 * are counted.
 */
export async function countReveal(
  tx: Tx,
  tenantId: string,
  actor: string,
  { countMax, windowSeconds }: { countMax: number; windowSeconds: number },
): Promise<number | null> {
  await lockForTransaction(tx, `reveals:${tenantId}:${actor}`)
  const recent = await tx.$queryRawUnsafe<{ wait: number }[]>(
    `SELECT ceil(extract(epoch FROM asked_at + $3::int * interval '1 second' - now()))::int AS wait FROM reveals
     WHERE tenant_id = $1::uuid AND actor = $2 AND asked_at > now() - $3::int * interval '1 second'
     ORDER BY asked_at DESC LIMIT $4::int`,
    tenantId,
    actor,
    windowSeconds,
    countMax,
  )
  const oldest = recent[countMax - 1]
  if (oldest !== undefined) return Math.max(1, oldest.wait)
  await tx.reveal.create({ data: { id: newId(), tenantId, actor } })
  return null
}

/** Deletes expired reveals, at most `rowsMax` at a time. */
export function purgeReveals(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `DELETE FROM reveals WHERE id IN (SELECT id FROM reveals WHERE asked_at < now() - interval '1 hour' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    rowsMax,
  )
}
