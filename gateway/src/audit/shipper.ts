import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '@payments/chassis/id'
import type { Log } from '@payments/chassis/log'
import { auditMessageBytesMax } from '@payments/contracts/audit-line'
import type { Publication } from '@payments/messaging/publisher'
import { readSegmentRange, removeSegment, type Segment, type SegmentRange } from './segment.ts'

/**
 * Carries the segments to the broker, in their order, and deletes what has been carried.
 *
 * Up to `windowMax` messages are sent before the first of them is confirmed; what the broker confirmed up to the first that it did
 * not is carried, and the rest is sent again.
 * Guarantees: a segment is deleted only after the broker has confirmed each of its lines, so nothing is lost with the process,
 * the broker, or both. How far a segment has been carried is kept in memory alone: after a crash it is carried again from its
 * beginning, and the audit service, which knows records by their id, stores them once.
 * Not promised: that records arrive in order, or once.
 */
export interface ShipperOptions {
  readonly segments: Segment[]
  readonly publish: (publication: Publication) => Promise<void>
  readonly queue: string
  readonly log: Log
  readonly failed: () => void
  /** Bytes that no line can be made of. */
  readonly torn: (bytes: number) => void
}

export interface Shipper {
  /** There is more to ship. */
  kick(): void
  /** Ships what is left, for at most `stopTimeoutMs`. */
  stop(): Promise<void>
}

/** What is written within this time goes into one message. */
const gatherMs = 200
const retryMinMs = 100
const retryMaxMs = 5_000
const stopTimeoutMs = 3_000
/** Messages in flight, of up to 128 KiB each. */
const windowMax = 8

export function startShipper(options: ShipperOptions): Shipper {
  const { segments, log } = options
  let isStopping = false
  let failures = 0
  let stopAt = Number.POSITIVE_INFINITY
  let wake = () => {}
  let kicked = false
  const unshipped = () => segments.reduce((sum, { written, shipped }) => sum + written - shipped, 0)
  const pause = (ms: number) => delay(isStopping ? 0 : ms)
  const untilKicked = () =>
    new Promise<void>((resolve) => {
      if (kicked || isStopping) resolve()
      else wake = resolve
    })

  const run = async () => {
    while (performance.now() < stopAt) {
      kicked = false
      try {
        if (await shipNext(options)) {
          if (failures > 0) log.info('audit records reach the broker again')
          failures = 0
          // What came while the broker was waited for would make a message of a few records, and so on and on.
          if (!isStopping && unshipped() < auditMessageBytesMax) await pause(gatherMs)
          continue
        }
      } catch (err) {
        if (failures === 0) log.warn({ err }, 'audit records cannot be shipped: they stay in the file')
        failures += 1
        options.failed()
        if (isStopping) return
        await pause(Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(failures, 10)))
        continue
      }
      if (isStopping) return
      await untilKicked()
      await pause(gatherMs)
    }
  }
  const running = run()
  return {
    kick: () => {
      kicked = true
      wake()
    },
    stop: async () => {
      isStopping = true
      stopAt = performance.now() + stopTimeoutMs
      wake()
      await Promise.race([running, delay(stopTimeoutMs, undefined, { ref: false })])
      const left = unshipped()
      if (left > 0) log.warn({ bytes: left }, 'audit records are left for the next start to ship')
    },
  }
}

/** A window of messages from the oldest segment that has something left. False where none has. */
async function shipNext({ segments, publish, queue, log, torn }: ShipperOptions): Promise<boolean> {
  const segment = segments.find(({ shipped, written, isOpen }) => shipped < written || !isOpen)
  if (segment === undefined) return false
  const window: { readonly length: number; readonly confirmed: Promise<void> }[] = []
  let offset = segment.shipped
  let stretch: SegmentRange | undefined
  while (window.length < windowMax) {
    stretch = await readSegmentRange({ ...segment, shipped: offset }, auditMessageBytesMax)
    if (stretch?.kind !== 'lines') break
    const { bytes } = stretch
    const confirmed = publish({ exchange: '', routingKey: queue, body: bytes, messageId: newId() })
    // Awaited below; meanwhile a rejection must not count as unhandled.
    confirmed.catch(() => {})
    window.push({ length: bytes.length, confirmed })
    offset += bytes.length
  }
  for (const { length, confirmed } of window) {
    await confirmed
    segment.shipped += length
  }
  if (stretch?.kind === 'torn') {
    log.warn({ path: segment.path, offset: segment.shipped, bytes: stretch.length }, 'the end of no audit record')
    torn(stretch.length)
    segment.shipped += stretch.length
  }
  if (!segment.isOpen && segment.shipped >= segment.written) {
    await removeSegment(segment)
    segments.splice(segments.indexOf(segment), 1)
  }
  return true
}
