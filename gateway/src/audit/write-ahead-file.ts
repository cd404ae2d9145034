import { close, fdatasync, open, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { newId } from '@payments/chassis/base/id'
import type { Log } from '@payments/chassis/observability/log'
import { type Segment, segmentPath, syncDirectory } from './segment.ts'

/**
 * **What it does.** Writes each audit record to a local file before the response of its request ends.
 *
 * **Participants.** `append` queues a line. One writer writes the whole queue with one synchronous call (group commit).
 * A syncer waits for the disk in parallel.
 *
 * **Guarantees.**
 * - `done` is called once the operating system has the line, or the disk if the line is durable. Any line is on the
 *   disk within 100 ms.
 * - A failed write or sync loses no line: it goes to a new segment, perhaps twice. Meanwhile `failure` returns the
 *   cause, so no request is admitted.
 *
 * **Not guaranteed.** A complete last line after a crash: it has no line break, and its request had no response.
 */
export type Done = (error?: Error) => void

interface QueuedLine {
  readonly text: string
  readonly isDurable: boolean
  readonly done: Done
}

export interface WriteAheadFileOptions {
  readonly directory: string
  /** Shared with the shipper: the writer adds at the end, the shipper removes at the head. */
  readonly segments: Segment[]
  readonly segmentBytesMax: number
  readonly log: Log
  /** Called after each write. */
  readonly written: () => void
  readonly failed: () => void
}

const batchBytesMax = 1024 * 1024
/** Leaves half of the 100 ms to the disk. */
const syncDelayMs = 50
const retryMs = 1_000

const calls = {
  open: promisify(open),
  fdatasync: promisify(fdatasync),
  close: promisify(close),
}

export class WriteAheadFile {
  readonly #options: WriteAheadFileOptions
  readonly #waitingForSync: Done[] = []
  #queue: QueuedLine[] = []
  #queuedBytes = 0
  /** Written to the current segment, and possibly not on the disk. */
  #unsynced: string[] = []
  #current: { readonly segment: Segment; readonly descriptor: number; isNamed: boolean } | undefined
  #isWriting = false
  /** A write or sync of the current segment failed, so the writer appends nothing more to that segment. */
  #isBroken = false
  #isClosed = false
  #isScheduled = false
  #failure: Error | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #syncTimer: NodeJS.Timeout | undefined
  #syncing: Promise<void> = Promise.resolve()
  #nextSync: Promise<void> | undefined

  constructor(options: WriteAheadFileOptions) {
    this.#options = options
  }

  /** The cause of the last failed write; undefined when writes succeed. */
  failure(): Error | undefined {
    return this.#failure
  }

  /** Bytes in the queue. */
  queuedBytes(): number {
    return this.#queuedBytes
  }

  /** Characters that are written, and possibly not on the disk. */
  unsynced(): number {
    return this.#unsynced.reduce((sum, text) => sum + text.length, 0)
  }

  append(text: string, isDurable: boolean, done: Done): void {
    const failure = this.#failure
    this.#put({ text, isDurable, done: failure === undefined ? done : ignore })
    if (failure === undefined) this.#schedule()
    else done(failure)
  }

  /** Writes and syncs the queue, as far as the disk permits. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retryTimer)
    await this.#drain()
    await this.#sync()
    clearTimeout(this.#syncTimer)
    await this.#endSegment()
  }

  #put(line: QueuedLine): void {
    this.#queue.push(line)
    this.#queuedBytes += line.text.length
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
    while (this.#queue.length > 0) {
      const batch = this.#take()
      try {
        await this.#write(batch)
      } catch (error) {
        this.#fail(error as Error, batch)
        break
      }
      this.#clearFailure()
      this.#confirm(batch)
    }
    this.#isWriting = false
  }

  #take(): QueuedLine[] {
    let bytes = 0
    let count = 0
    while (count < this.#queue.length && bytes < batchBytesMax) bytes += this.#queue[count++]?.text.length ?? 0
    this.#queuedBytes -= bytes
    return this.#queue.splice(0, count)
  }

  async #write(batch: readonly QueuedLine[]): Promise<void> {
    const text = batch.map((line) => line.text).join('')
    const bytes = Buffer.from(text)
    const { segment, descriptor } = this.#segmentFor(bytes.length) ?? (await this.#nextSegment())
    for (let offset = 0; offset < bytes.length; ) {
      offset += writeSync(descriptor, bytes, offset, bytes.length - offset, null)
    }
    // The parallel sync may have failed meanwhile.
    if (this.#isBroken) throw this.#failure ?? new Error('the segment is broken')
    segment.written += bytes.length
    this.#unsynced.push(text)
  }

  #confirm(batch: readonly QueuedLine[]): void {
    let isUrgent = false
    for (const { isDurable, done } of batch) {
      if (isDurable) this.#waitingForSync.push(done)
      else done()
      isUrgent ||= isDurable
    }
    if (isUrgent) void this.#sync()
    else this.#syncTimer ??= setTimeout(() => void this.#sync(), syncDelayMs)
    this.#options.written()
  }

  #segmentFor(length: number) {
    if (this.#isBroken || this.#current === undefined) return undefined
    return this.#current.segment.written + length > this.#options.segmentBytesMax ? undefined : this.#current
  }

  async #nextSegment() {
    if (!this.#isBroken) await this.#sync()
    await this.#endSegment()
    const path = segmentPath(this.#options.directory, newId())
    const descriptor = await calls.open(path, 'ax', 0o600)
    const segment: Segment = { path, written: 0, shipped: 0, isOpen: true }
    this.#options.segments.push(segment)
    this.#current = { segment, descriptor, isNamed: false }
    return this.#current
  }

  async #endSegment(): Promise<void> {
    const current = this.#current
    this.#current = undefined
    this.#isBroken = false
    if (current === undefined) return
    current.segment.isOpen = false
    this.#options.written()
    await calls.close(current.descriptor)
  }

  /** Joins the sync that has not started, or queues one. That sync covers every line written before this call. */
  #sync(): Promise<void> {
    this.#nextSync ??= this.#syncing.then(() => {
      this.#nextSync = undefined
      this.#syncing = this.#syncNow()
      return this.#syncing
    })
    return this.#nextSync
  }

  async #syncNow(): Promise<void> {
    clearTimeout(this.#syncTimer)
    this.#syncTimer = undefined
    const current = this.#current
    if (current === undefined || this.#unsynced.length === 0) return
    const covered = this.#unsynced
    const waiting = this.#waitingForSync.splice(0)
    this.#unsynced = []
    try {
      await calls.fdatasync(current.descriptor)
      if (!current.isNamed) await syncDirectory(this.#options.directory)
      current.isNamed = true
      for (const done of waiting) done()
    } catch (error) {
      // After a failed sync the content of the disk is unknown, so every line is written again.
      this.#unsynced = [...covered, ...this.#unsynced]
      this.#waitingForSync.unshift(...waiting)
      this.#fail(error as Error, [])
    }
  }

  #fail(error: Error, batch: readonly QueuedLine[]): void {
    const retried = [...this.#unsynced, ...batch.map(({ text }) => text)].map((text) => ({
      text,
      isDurable: false,
      done: ignore,
    }))
    const waiting = [
      ...this.#waitingForSync.splice(0),
      ...batch.map(({ done }) => done),
      ...this.#queue.map(({ done }) => done),
    ]
    this.#unsynced = []
    this.#queue = [...retried, ...this.#queue.map(({ text }) => ({ text, isDurable: false, done: ignore }))]
    this.#queuedBytes = this.#queue.reduce((sum, { text }) => sum + text.length, 0)
    if (this.#failure === undefined) this.#options.log.error({ err: error }, 'audit records cannot be written')
    this.#failure = error
    this.#isBroken = true
    this.#options.failed()
    clearTimeout(this.#retryTimer)
    if (!this.#isClosed) this.#retryTimer = setTimeout(() => void this.#drain(), retryMs)
    for (const done of waiting) done(error)
  }

  #clearFailure(): void {
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#options.log.info('audit records are written again')
  }
}

function ignore(): void {}
