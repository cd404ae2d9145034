/**
 * more: the next claim may find events at once · none: all events of the outbox are leased, or the broker is away ·
 * empty: the outbox has no unpublished event · failed: the broker or the database failed.
 */
export type BatchResult = 'more' | 'some' | 'none' | 'empty' | 'failed'

export interface RelayWaitsOptions {
  readonly pollMinMs?: number
  /** While events wait in the outbox, or the broker is away. */
  readonly pollMaxMs?: number
  /** While the outbox is empty. Not longer than the lease. */
  readonly restMaxMs?: number
  readonly retryMaxMs?: number
}

/**
 * The waits between batches that nothing wakes: they double. So an event of a killed process is published at most
 * `pollMaxMs` after its lease, and an event without a lease within `restMaxMs`.
 */
export class RelayWaits {
  readonly #options: Required<RelayWaitsOptions>
  #idleMs: number
  #retryMs: number

  constructor({ pollMinMs = 5, pollMaxMs = 1_000, restMaxMs = 10_000, retryMaxMs = 5_000 }: RelayWaitsOptions) {
    this.#options = { pollMinMs, pollMaxMs, restMaxMs, retryMaxMs }
    this.#idleMs = pollMinMs
    this.#retryMs = pollMinMs
  }

  after(result: BatchResult): number {
    const { pollMinMs, pollMaxMs, restMaxMs, retryMaxMs } = this.#options
    const isIdle = result === 'none' || result === 'empty'
    this.#idleMs = isIdle ? Math.min(result === 'empty' ? restMaxMs : pollMaxMs, this.#idleMs * 2) : pollMinMs
    this.#retryMs = result === 'failed' ? Math.min(retryMaxMs, this.#retryMs * 2) : pollMinMs
    return result === 'failed' ? this.#retryMs : this.#idleMs
  }
}
