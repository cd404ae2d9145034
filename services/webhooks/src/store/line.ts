import type { Tx } from './database.ts'

/**
 * Puts deliveries that had come to their end, or wait for an attempt, back at the start: a fresh schedule, begun at once by
 * the sweeper. Attempt numbers go on. The caller holds the locks of the rows. Returns how many.
 */
export function reviveDeliveries(tx: Tx, ids: readonly string[]): Promise<number> {
  return tx.$executeRawUnsafe(
    `UPDATE deliveries SET status = 'pending', schedule_position = 0, dead_at = NULL, discarded_by = NULL,
       discard_reason = NULL, next_attempt_at = now(), sweep_at = now(), queued = false, updated_at = now()
     WHERE id = ANY($1::uuid[])`,
    ids,
  )
}
