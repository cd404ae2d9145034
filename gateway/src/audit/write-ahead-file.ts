import { close, fdatasync, open, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { newId } from '@payments/chassis/id'
import type { Log } from '@payments/chassis/log'
import { type Segment, segmentPath, syncDirectory } from './segment.ts'

/**
 * The local file that every audit record is in before its request is answered.
 *
 * Its people: `append` puts a line into the queue; the writer, of which there is one, takes all that is queued and writes it
 * with one call (group commit: the busier, the more lines to a call), here and now, since a copy into the page cache takes less
 * than to ask a thread for it (docs/decisions/0014); the syncer, which waits for the disk, makes it durable behind the writer's back; a
 * segment is one file of some megabytes, so that what is shipped can be deleted.
 *
 * Guarantees. `done` is called once the line has been handed to the operating system, which keeps it whatever becomes of this
 * process; at most 100 ms later it is on the disk (as fast as the disk goes), so a machine that loses its power loses that much.
 * For a durable line `done` waits for the disk. When a write or a sync fails, nothing is forgotten: the lines that are not known
 * to be on the disk go back to the head of the queue and into a fresh segment, once a second until that works, and meanwhile
 * `failure` says why, so that no further request is let in. A line may then be written twice; its record's id tells.
 * Not promised: that the last line is whole after a crash. It has no line break then, and its request was not answered.
 */
export type Done = (error?: Error) => void

interface Entry {
  readonly text: string
  readonly isDurable: boolean
  readonly done: Done
}

export interface WriteAheadFileOptions {
  readonly directory: string
  /** Shared with the shipper: the writer adds to its end, the shipper takes from its head. */
  readonly segments: Segment[]
  readonly segmentBytesMax: number
  readonly log: Log
  /** Called when there is more to ship. */
  readonly written: () => void
  readonly failed: () => void
}

const batchBytesMax = 1024 * 1024
/** Half of the 100 ms is left to the disk. */
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
  #queue: Entry[] = []
  #queuedBytes = 0
  /** Written to the current segment and not known to be on the disk. */
  #unsynced: string[] = []
  #current: { readonly segment: Segment; readonly descriptor: number; isNamed: boolean } | undefined
  #isWriting = false
  /** What was written to the current segment may not be there: it takes no more. */
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

  /** Why nothing can be written at the moment. */
  failure(): Error | undefined {
    return this.#failure
  }

  /** Bytes that wait to be written. */
  queuedBytes(): number {
    return this.#queuedBytes
  }

  /** Characters that are written and not known to be on the disk. */
  unsynced(): number {
    return this.#unsynced.reduce((sum, text) => sum + text.length, 0)
  }

  append(text: string, isDurable: boolean, done: Done): void {
    const failure = this.#failure
    this.#put({ text, isDurable, done: failure === undefined ? done : ignore })
    if (failure === undefined) this.#schedule()
    else done(failure)
  }

  /** Writes and syncs what is queued, as far as the disk allows. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retryTimer)
    await this.#drain()
    await this.#sync()
    clearTimeout(this.#syncTimer)
    await this.#endSegment()
  }

  #put(entry: Entry): void {
    this.#queue.push(entry)
    this.#queuedBytes += entry.text.length
  }

  /** After the other sockets of this round have been heard, so that what ends together is written together. */
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
      this.#recovered()
      this.#confirm(batch)
    }
    this.#isWriting = false
  }

  #take(): Entry[] {
    let bytes = 0
    let count = 0
    while (count < this.#queue.length && bytes < batchBytesMax) bytes += this.#queue[count++]?.text.length ?? 0
    this.#queuedBytes -= bytes
    return this.#queue.splice(0, count)
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    const text = batch.map((entry) => entry.text).join('')
    const bytes = Buffer.from(text)
    const { segment, descriptor } = this.#roomFor(bytes.length) ?? (await this.#nextSegment())
    for (let offset = 0; offset < bytes.length; ) {
      offset += writeSync(descriptor, bytes, offset, bytes.length - offset, null)
    }
    // The sync behind our back may have failed meanwhile.
    if (this.#isBroken) throw this.#failure ?? new Error('the segment is broken')
    segment.written += bytes.length
    this.#unsynced.push(text)
  }

  #confirm(batch: readonly Entry[]): void {
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

  #roomFor(length: number) {
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

  /** Joins a sync that has not begun, else queues one behind the one that runs: it covers all that was written before. */
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
      // After a failed sync nobody knows what is on the disk: all of it is written anew.
      this.#unsynced = [...covered, ...this.#unsynced]
      this.#waitingForSync.unshift(...waiting)
      this.#fail(error as Error, [])
    }
  }

  #fail(error: Error, batch: readonly Entry[]): void {
    const again = [...this.#unsynced, ...batch.map(({ text }) => text)].map((text) => ({
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
    this.#queue = [...again, ...this.#queue.map(({ text }) => ({ text, isDurable: false, done: ignore }))]
    this.#queuedBytes = this.#queue.reduce((sum, { text }) => sum + text.length, 0)
    if (this.#failure === undefined) this.#options.log.error({ err: error }, 'audit records cannot be written')
    this.#failure = error
    this.#isBroken = true
    this.#options.failed()
    clearTimeout(this.#retryTimer)
    if (!this.#isClosed) this.#retryTimer = setTimeout(() => void this.#drain(), retryMs)
    for (const done of waiting) done(error)
  }

  #recovered(): void {
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#options.log.info('audit records are written again')
  }
}

function ignore(): void {}
