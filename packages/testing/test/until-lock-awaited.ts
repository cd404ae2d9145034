import type { Pool } from 'pg'

const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
const deadlineMs = 30_000

/** Resolves when another session of the database waits for a lock; fails after 30 s. */
export async function untilLockAwaited(pool: Pool): Promise<void> {
  const deadlineAt = Date.now() + deadlineMs
  while ((await pool.query(waiting)).rowCount === 0) {
    if (Date.now() > deadlineAt) throw new Error('no session waits for a lock')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
