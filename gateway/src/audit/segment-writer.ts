import { close, fdatasync, open, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { newId } from '@payments/chassis/base/id'
import { type Segment, segmentPath, syncDirectory } from './segment.ts'

export interface SegmentWriterOptions {
  readonly directory: string
  /** Shared with the shipper: the writer adds at the end, the shipper removes at the head. */
  readonly segments: Segment[]
  readonly segmentBytesMax: number
  /** Called when no more is written to a segment. */
  readonly onEnd: () => void
}

interface CurrentSegment {
  readonly segment: Segment
  readonly descriptor: number
  /** Whether the name of the file is on the disk. */
  isNamed: boolean
}

const calls = {
  open: promisify(open),
  fdatasync: promisify(fdatasync),
  close: promisify(close),
}

/** Appends to the newest segment of the audit spool. Nothing is appended to a segment after a failed write or sync. */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions
  #current: CurrentSegment | undefined
  #failure: Error | undefined

  constructor(options: SegmentWriterOptions) {
    this.#options = options
  }

  isOpen(): boolean {
    return this.#current !== undefined
  }

  isBroken(): boolean {
    return this.#failure !== undefined
  }

  /** Whether the segment takes `length` more bytes. */
  takes(length: number): boolean {
    if (this.#failure !== undefined || this.#current === undefined) return false
    return this.#current.segment.written + length <= this.#options.segmentBytesMax
  }

  /** Appends with one synchronous call. The shipper sees the bytes once all of them are written. */
  append(bytes: Buffer): void {
    const { segment, descriptor } = this.#required()
    for (let offset = 0; offset < bytes.length; ) {
      offset += writeSync(descriptor, bytes, offset, bytes.length - offset, null)
    }
    // A sync of the previous segment may have failed while this one was opened.
    if (this.#failure !== undefined) throw this.#failure
    segment.written += bytes.length
  }

  async sync(): Promise<void> {
    const current = this.#required()
    await calls.fdatasync(current.descriptor)
    if (!current.isNamed) await syncDirectory(this.#options.directory)
    current.isNamed = true
  }

  /** Ends the segment and begins another one. */
  async next(): Promise<void> {
    await this.end()
    const { directory, segments } = this.#options
    const path = segmentPath(directory, newId())
    const descriptor = await calls.open(path, 'ax', 0o600)
    const segment: Segment = { path, written: 0, shipped: 0, isOpen: true }
    segments.push(segment)
    this.#current = { segment, descriptor, isNamed: false }
  }

  async end(): Promise<void> {
    const current = this.#current
    this.#current = undefined
    this.#failure = undefined
    if (current === undefined) return
    current.segment.isOpen = false
    this.#options.onEnd()
    await calls.close(current.descriptor)
  }

  /** The segment takes no more bytes. */
  fail(error: Error): void {
    this.#failure = error
  }

  #required(): CurrentSegment {
    if (this.#current === undefined) throw new Error('no segment is open')
    return this.#current
  }
}
