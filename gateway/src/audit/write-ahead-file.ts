import type { Log } from '@payments/chassis/observability/log'
import { GroupSync } from './group-sync.ts'
import { type Done, LineQueue, type QueuedLine } from './line-queue.ts'
import { SegmentWriter, type SegmentWriterOptions } from './segment-writer.ts'

export interface WriteAheadFileOptions extends Omit<SegmentWriterOptions, 'onEnd'> {
  readonly log: Log
  /** Called after each write. */
  readonly onWrite: () => void
  readonly onFailure: () => void
}

const retryMs = 1_000

/**
 * **What it does.** Writes each audit record to a local file before the response of its request ends.
 *
 * **Participants.** `append` adds a line to the queue. The writer appends the whole queue to a segment with one call
 * (group commit). The group sync waits for the disk in parallel.
 *
 * **Guarantees.**
 * - `done` is called once the operating system has the line, or the disk if the line is durable. Any line is on the
 *   disk within 100 ms.
 * - A failed write or sync loses no line: it goes to a new segment, perhaps twice. Meanwhile `failure` returns the
 *   cause, so no request is admitted.
 *
 * **Not guaranteed.** A complete last line after a crash. Its request had no response.
 */
export class WriteAheadFile {
  readonly #options: WriteAheadFileOptions
  readonly #queue = new LineQueue()
  readonly #segment: SegmentWriter
  readonly #sync: GroupSync
  #isScheduled = false
  #isWriting = false
  #isClosed = false
  #failure: Error | undefined
  #retryTimer: NodeJS.Timeout | undefined

  constructor(options: WriteAheadFileOptions) {
    this.#options = options
    this.#segment = new SegmentWriter({ ...options, onEnd: options.onWrite })
    this.#sync = new GroupSync({
      isOpen: () => this.#segment.isOpen(),
      sync: () => this.#segment.sync(),
      onFailure: (error) => this.#fail(error, []),
    })
  }

  /** The cause of the last failed write; undefined when writes succeed. */
  failure(): Error | undefined {
    return this.#failure
  }

  /** Bytes in the queue. */
  queuedBytes(): number {
    return this.#queue.bytes()
  }

  /** Characters that are written, and possibly not on the disk. */
  unsynced(): number {
    return this.#sync.unsynced()
  }

  append(text: string, isDurable: boolean, done: Done): void {
    const failure = this.#failure
    this.#queue.add({ text, isDurable, done: failure === undefined ? done : () => {} })
    if (failure === undefined) this.#schedule()
    else done(failure)
  }

  /** Writes and syncs the queue, as far as the disk permits. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retryTimer)
    await this.#drain()
    await this.#sync.run()
    this.#sync.stop()
    await this.#segment.end()
  }

  /** Writes at the end of this event loop round, so responses that end in one round share a write. */
  #schedule(): void {
    if (this.#isScheduled || this.#isWriting) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    while (!this.#queue.isEmpty()) {
      const batch = this.#queue.take()
      try {
        await this.#write(batch)
      } catch (error) {
        this.#fail(error as Error, batch)
        break
      }
      this.#clearFailure()
      for (const { isDurable, done } of batch) if (!isDurable) done()
      this.#sync.request()
      this.#options.onWrite()
    }
    this.#isWriting = false
  }

  async #write(batch: readonly QueuedLine[]): Promise<void> {
    const text = batch.map((line) => line.text).join('')
    const bytes = Buffer.from(text)
    if (!this.#segment.takes(bytes.length)) {
      if (!this.#segment.isBroken()) await this.#sync.run()
      await this.#segment.next()
    }
    this.#segment.append(bytes)
    // The text and its callers together, because a sync may start before this function returns.
    this.#sync.add(
      text,
      batch.flatMap(({ isDurable, done }) => (isDurable ? [done] : [])),
    )
  }

  #fail(error: Error, batch: readonly QueuedLine[]): void {
    const { texts, waiting } = this.#sync.takeBack()
    const queued = this.#queue.retry([...texts, ...batch.map(({ text }) => text)])
    if (this.#failure === undefined) this.#options.log.error({ err: error }, 'audit records cannot be written')
    this.#failure = error
    this.#segment.fail(error)
    this.#options.onFailure()
    clearTimeout(this.#retryTimer)
    if (!this.#isClosed) this.#retryTimer = setTimeout(() => void this.#drain(), retryMs)
    for (const done of [...waiting, ...batch.map(({ done }) => done), ...queued]) done(error)
  }

  #clearFailure(): void {
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#options.log.info('audit records are written again')
  }
}
