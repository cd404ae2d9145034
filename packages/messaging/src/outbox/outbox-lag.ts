import type { SqlTx } from '@payments/chassis/database/transaction'
import type { Lag } from './relay-metrics.ts'

const lagSql = `
  SELECT (SELECT count(*)::int FROM (SELECT 1 FROM outbox_events WHERE published_at IS NULL LIMIT 10000) AS counted) AS pending,
    coalesce((SELECT extract(epoch FROM clock_timestamp() - occurred_at) * 1000 FROM outbox_events
      WHERE published_at IS NULL ORDER BY sequence LIMIT 1), 0)::int AS oldest_age_ms`

/** The unpublished events of the outbox, at most 10 000 of them, and the age of the oldest. */
export async function readLag(db: SqlTx): Promise<Lag> {
  const [row] = await db.$queryRawUnsafe<{ pending: number; oldest_age_ms: number }[]>(lagSql)
  return { pending: row?.pending ?? 0, oldestAgeMs: row?.oldest_age_ms ?? 0 }
}

const waitMsMax = 100

/** Lets callers wait for the end of a batch. */
export class BatchEnds {
  readonly #listeners = new Set<() => void>()

  ended(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Calls `begin`. Resolves at the end of the current or next batch, or after 100 ms. */
  async end(begin: () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      const ended = () => {
        clearTimeout(timer)
        this.#listeners.delete(ended)
        resolve()
      }
      const timer = setTimeout(ended, waitMsMax)
      this.#listeners.add(ended)
      begin()
    })
  }
}
