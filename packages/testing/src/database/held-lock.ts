import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

export interface HeldLock {
  /** Resolves when at least `count` sessions of the database wait for a lock, this one or another. */
  untilWaiting(count: number): Promise<void>
  /** Whether a session waits for this lock. */
  isAwaited(): Promise<boolean>
  /** Commits and closes the session. */
  release(): Promise<void>
}

const deadlineMs = 30_000
const pollMs = 5

/**
 * Holds a lock in its own session, so that a test controls which session waits. `url`: the owner of the tables. `sql`:
 * a statement that locks, for example `SELECT … FOR UPDATE`. Throws when the statement locks no row, and when the
 * awaited sessions do not wait within 30 s.
 */
export async function holdLock(url: string, sql: string, ...values: unknown[]): Promise<HeldLock> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query(`SELECT set_config('app.tenant_id', '*', true)`)
  const { rowCount } = await client.query(sql, values)
  if (rowCount === 0) {
    await client.end()
    throw new Error(`nothing to lock: ${sql}`)
  }
  const waiting = async () => {
    // A transaction reads the statistics once; without this, later sessions are not seen.
    await client.query('SELECT pg_stat_clear_snapshot()')
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(DISTINCT pid)::int AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE NOT granted AND datname = current_database()`,
    )
    return rows[0]?.count ?? 0
  }
  return {
    untilWaiting: async (count) => {
      const deadlineAt = Date.now() + deadlineMs
      while ((await waiting()) < count) {
        if (Date.now() > deadlineAt) throw new Error(`fewer than ${count} sessions wait for a lock`)
        await delay(pollMs)
      }
    },
    isAwaited: async () => {
      await client.query('SELECT pg_stat_clear_snapshot()')
      const { rowCount } = await client.query(
        'SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))',
      )
      return rowCount !== 0
    },
    release: async () => {
      await client.query('COMMIT')
      await client.end()
    },
  }
}

/**
 * Runs `work` while another session holds the rows that the statement locks, as `holdLock` does. Throws when `work`
 * waits for them: it has to skip locked rows.
 */
export async function whileLocked<R>(
  url: string,
  [sql, ...values]: readonly [sql: string, ...values: unknown[]],
  work: () => Promise<R>,
): Promise<R> {
  const lock = await holdLock(url, sql, ...values)
  let isOver = false
  const running = work().finally(() => {
    isOver = true
  })
  let hasWaited = false
  while (!isOver && !hasWaited) {
    hasWaited = await lock.isAwaited()
    await Promise.race([running.catch(() => undefined), delay(pollMs)])
  }
  await lock.release()
  const result = await running
  if (hasWaited) throw new Error(`waited for the rows of: ${sql}`)
  return result
}
