import { createSingleFlight } from '@payments/chassis/base/single-flight'
import type { Log } from '@payments/chassis/observability/log'
import { SegmentWriter, type SegmentWriterOptions } from './segment-writer.ts'

export type Done = (error?: Error) => void

interface Line {
  readonly text: string
  readonly isDurable: boolean
  readonly done: Done
}

export interface WriteAheadFileOptions extends Omit<SegmentWriterOptions, 'onEnd'> {
  readonly log: Log
  /** Called after each write. */
  readonly onWrite: () => void
  readonly onFailure: () => void
}

const batchBytesMax = 1024 * 1024
/** A line is on the disk within 100 ms. The disk has half of them. */
const syncDelayMs = 50
const retryMs = 1_000
const ignore = () => {}

/**
 * **What it does.** Writes each audit record to a local file before the response of its request ends.
 *
 * **Participants.** `append` adds a line to the queue. One call appends the whole queue to a segment (group commit). A
 * sync waits for the disk in parallel, and serves all waiting lines.
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
  readonly #segment: SegmentWriter
  readonly #singleFlight = createSingleFlight<void>()
  /** Not written yet, in the order of writing. */
  #queue: Line[] = []
  #queuedBytes = 0
  /** Written, and possibly not on the disk. Added with the write, because a sync may start before the write returns. */
  #unsynced: Line[] = []
  #isScheduled = false
  #failure: Error | undefined
  /** After a failure: a drain that was already requested then does not write. */
  #isRetryDue = false
  #syncTimer: NodeJS.Timeout | undefined
  #retryTimer: NodeJS.Timeout | undefined

  constructor(options: WriteAheadFileOptions) {
    this.#options = options
    this.#segment = new SegmentWriter({ ...options, onEnd: options.onWrite })
  }

  /** The cause of the last failed write; undefined when writes succeed. */
  readonly failure = (): Error | undefined => this.#failure

  readonly queuedBytes = (): number => this.#queuedBytes

  /** Lines that are written, and possibly not on the disk. */
  readonly unsynced = (): number => this.#unsynced.length

  append(text: string, isDurable: boolean, done: Done): void {
    const failure = this.#failure
    this.#queue.push({ text, isDurable, done: failure === undefined ? done : ignore })
    this.#queuedBytes += text.length
    if (failure !== undefined) return done(failure)
    if (this.#isScheduled) return
    this.#isScheduled = true
    // At the end of this event loop round, so responses that end in one round share a write.
    setImmediate(() => {
      this.#isScheduled = false
      void this.#drain()
    })
  }

  /** Writes and syncs the queue, as far as the disk permits. */
  async close(): Promise<void> {
    this.#isRetryDue = true
    await this.#drain()
    await this.#sync()
    clearTimeout(this.#retryTimer)
    await this.#segment.end()
  }

  #drain(): Promise<void> {
    return this.#singleFlight('write', async () => {
      while (this.#queue.length > 0 && (this.#failure === undefined || this.#isRetryDue)) {
        const batch = this.#queue.splice(0, batchLength(this.#queue))
        this.#queuedBytes -= bytesIn(batch)
        try {
          await this.#write(batch)
        } catch (error) {
          return this.#fail(error as Error, batch)
        }
        if (this.#failure !== undefined) this.#options.log.info('audit records are written again')
        this.#failure = undefined
        for (const { isDurable, done } of batch) if (!isDurable) done()
        if (this.#unsynced.some(({ isDurable }) => isDurable)) void this.#sync()
        else this.#syncTimer ??= setTimeout(() => void this.#sync(), syncDelayMs)
        this.#options.onWrite()
      }
    })
  }

  async #write(batch: readonly Line[]): Promise<void> {
    const bytes = Buffer.from(batch.map(({ text }) => text).join(''))
    if (!this.#segment.takes(bytes.length)) {
      if (!this.#segment.isBroken()) await this.#sync()
      await this.#segment.next()
    }
    this.#segment.append(bytes)
    this.#unsynced.push(...batch)
  }

  /** Resolves after a sync that covers every line written before this call. */
  #sync(): Promise<void> {
    return this.#singleFlight('sync', async () => {
      clearTimeout(this.#syncTimer)
      this.#syncTimer = undefined
      if (!this.#segment.isOpen() || this.#unsynced.length === 0) return
      const covered = this.#unsynced
      this.#unsynced = []
      try {
        await this.#segment.sync()
        for (const { isDurable, done } of covered) if (isDurable) done()
      } catch (error) {
        this.#unsynced = [...covered, ...this.#unsynced]
        this.#fail(error as Error, [])
      }
    })
  }

  /** The content of the disk is unknown, so unsynced lines are written again, before the batch and the queue. */
  #fail(error: Error, batch: readonly Line[]): void {
    const waiting = [...this.#unsynced.filter(({ isDurable }) => isDurable), ...batch, ...this.#queue]
    const lines = [...this.#unsynced, ...batch, ...this.#queue]
    this.#queue = lines.map(({ text }) => ({ text, isDurable: false, done: ignore }))
    this.#queuedBytes = bytesIn(lines)
    this.#unsynced = []
    if (this.#failure === undefined) this.#options.log.error({ err: error }, 'audit records cannot be written')
    this.#failure = error
    this.#isRetryDue = false
    this.#segment.fail(error)
    this.#options.onFailure()
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => {
      this.#isRetryDue = true
      void this.#drain()
    }, retryMs)
    for (const { done } of waiting) done(error)
  }
}

const bytesIn = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length, 0)

/** The number of lines of one write. */
function batchLength(queue: readonly Line[]): number {
  let bytes = 0
  const end = queue.findIndex(({ text }) => (bytes += text.length) >= batchBytesMax)
  return end === -1 ? queue.length : end + 1
}
