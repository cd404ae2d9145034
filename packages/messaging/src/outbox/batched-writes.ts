import { createPause } from '@payments/chassis/base/deadline'

export interface BatchedWritesOptions<Entry> {
  readonly write: (entries: readonly Entry[]) => Promise<unknown>
  /** The longest wait of the first entry of a batch while no other batch is written. */
  readonly gatherMs: number
  /** A batch of this size waits for no further entry. */
  readonly entriesEnough: number
}

interface Batch<Entry> {
  readonly entries: Entry[]
  /** Ends the gathering. */
  readonly close: () => void
  readonly written: Promise<void>
}

/**
 * **What it does.** Writes entries in batches, one batch at a time. Entries that arrive while a batch is written, or
 * within `gatherMs`, form the next batch.
 *
 * **Not guaranteed.** A bound on the entries that wait: the caller bounds them.
 */
export class BatchedWrites<Entry> {
  readonly #options: BatchedWritesOptions<Entry>
  #gathering: Batch<Entry> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(options: BatchedWritesOptions<Entry>) {
    this.#options = options
  }

  /** Settles as the write of the batch does. */
  add(entry: Entry): Promise<void> {
    this.#gathering ??= this.#open()
    const { entries, close, written } = this.#gathering
    entries.push(entry)
    if (entries.length >= this.#options.entriesEnough) close()
    return written
  }

  /** Resolves when the write of each added entry has ended, also by a failure. */
  async flush(): Promise<void> {
    this.#gathering?.close()
    await ended(this.#last)
  }

  #open(): Batch<Entry> {
    const entries: Entry[] = []
    const gathering = createPause()
    const written = this.#write(entries, Promise.all([gathering.wait(this.#options.gatherMs), ended(this.#last)]))
    this.#last = written
    return { entries, close: gathering.wake, written }
  }

  async #write(entries: readonly Entry[], turn: Promise<unknown>): Promise<void> {
    await turn
    this.#gathering = undefined
    await this.#options.write(entries)
  }
}

/** Never rejects: each caller of `add` handles the failure of its batch. */
const ended = (written: Promise<void>): Promise<void> => written.catch(() => {})
