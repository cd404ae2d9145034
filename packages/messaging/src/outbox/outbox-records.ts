import { Batch } from '@payments/chassis/base/batch'
import type { SqlTx } from '@payments/chassis/database/transaction'
import type { OutboxRow } from '../broker/event-message.ts'
import { withoutFlush } from './event-row.ts'

/** The result of a publication. returned: no queue takes the event. */
export type SendResult =
  | { readonly outcome: 'confirmed' | 'returned' }
  | { readonly outcome: 'failed'; readonly error: unknown }

export interface OutboxRecordsOptions {
  readonly db: SqlTx
  readonly leaseMs: number
  readonly returnedRetryMs: number
}

/** A mark must only precede the end of the lease. No event waits for it. */
const markGatherMs = 100
const writes = { itemsMax: 500, runningMax: 1 }

const markSql = `
  WITH ${withoutFlush}
  UPDATE outbox_events SET published_at = leased_until - $2::int * interval '1 millisecond'
  FROM without_flush, jsonb_to_recordset($1::text::jsonb) AS marked (id uuid, lease timestamptz)
  WHERE outbox_events.id = marked.id AND outbox_events.leased_until = marked.lease`

const releaseSql = `
  UPDATE outbox_events SET leased_until = clock_timestamp() + released.wait_ms * interval '1 millisecond'
  FROM jsonb_to_recordset($1::text::jsonb) AS released (id uuid, lease timestamptz, wait_ms int)
  WHERE outbox_events.id = released.id AND outbox_events.leased_until = released.lease`

interface Mark {
  readonly id: string
  readonly lease: string
}

interface Release extends Mark {
  readonly wait_ms: number
}

/**
 * **What it does.** Records in the outbox what the broker did with each event, many events by one statement.
 *
 * **Guarantees.** A confirmed event is marked as published. An event that no queue takes is released after
 * `returnedRetryMs`, any other at once. A record changes an event only under the lease with which it was sent.
 *
 * **Not guaranteed.** The records: a crash, also of the database, may lose each of them. Then the lease expires, and
 * the events are published again.
 */
export class OutboxRecords {
  readonly #returnedRetryMs: number
  readonly #marks: Batch<Mark, Mark>
  readonly #releases: Batch<Release, Release>

  constructor({ db, leaseMs, returnedRetryMs }: OutboxRecordsOptions) {
    this.#returnedRetryMs = returnedRetryMs
    const mark = async (marks: readonly Mark[]) => {
      await db.$executeRawUnsafe(markSql, JSON.stringify(marks), leaseMs)
      return marks
    }
    const release = async (releases: readonly Release[]) => {
      await db.$executeRawUnsafe(releaseSql, JSON.stringify(releases))
      return releases
    }
    this.#marks = new Batch(mark, { ...writes, gatherMs: markGatherMs })
    this.#releases = new Batch(release, writes)
  }

  /** Resolves when the record is written. */
  async record(row: OutboxRow, { outcome }: SendResult): Promise<void> {
    if (outcome === 'confirmed') await this.#marks.add({ id: row.id, lease: row.lease })
    else await this.release(row, outcome === 'returned' ? this.#returnedRetryMs : 0)
  }

  /** Ends the lease in `waitMs`. Resolves when that is written. */
  async release({ id, lease }: OutboxRow, waitMs: number): Promise<void> {
    await this.#releases.add({ id, lease, wait_ms: waitMs })
  }

  /** Writes the gathered records at once. Resolves when their writes have ended, also by a failure. */
  async flush(): Promise<void> {
    await Promise.all([this.#marks.flush(), this.#releases.flush()])
  }
}
