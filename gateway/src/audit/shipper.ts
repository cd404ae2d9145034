import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '@payments/chassis/observability/log'
import { auditMessageBytesMax } from '@payments/contracts/edges/audit-line'
import { type AuditMessage, divideIntoMessages } from './audit-messages.ts'
import { readSegmentRange, removeSegment, type Segment, type SegmentRange } from './segment.ts'

/**
 * **What it does.** Publishes the segments of the audit spool range by range, and deletes each when it is shipped. A
 * range is one message, or several for the shards of its tenants. Up to `rangesMax` ranges are unconfirmed at a time;
 * after a failure the shipper publishes again from the first range with an unconfirmed message.
 *
 * **Guarantees.** A segment is deleted only after the broker confirmed each of its lines, so neither the end of the
 * process nor an outage of the broker loses a record.
 *
 * **Not guaranteed.** Order, or delivery exactly once.
 */
export interface ShipperOptions {
  readonly segments: Segment[]
  readonly publish: (message: AuditMessage) => Promise<void>
  readonly log: Log
  readonly onFailure: () => void
  /** Called with the size of each truncated line. */
  readonly onTorn: (bytes: number) => void
}

export interface Shipper {
  /** Reports new records. */
  notify(): void
  /** Ships the remaining records, for at most `stopTimeoutMs`. */
  stop(): Promise<void>
}

/**
 * Records written within this time go into one message, or within the longer one while they are few: at low load, a
 * message costs the gateway, the broker and the audit service as much as dozens of records in it.
 */
const batchDelayMs = 200
const smallBatchDelayMs = 1_000
const smallBatchBytes = 16 * 1024
const retryMinMs = 100
const retryMaxMs = 5_000
const stopTimeoutMs = 3_000
/** A range has messages of the maximum size also when it is divided by shard. */
const rangeBytesMax = 4 * auditMessageBytesMax
/** Unconfirmed ranges. */
const rangesMax = 2

export function startShipper(options: ShipperOptions): Shipper {
  const { segments, log } = options
  const stopping = new AbortController()
  let failures = 0
  let stopAt = Number.POSITIVE_INFINITY
  let wake = () => {}
  let isNotified = false
  const unshipped = () => segments.reduce((sum, { written, shipped }) => sum + written - shipped, 0)
  const pause = (ms: number) => delay(ms, undefined, { signal: stopping.signal }).catch(() => {})
  const gather = async () => {
    await pause(batchDelayMs)
    if (unshipped() < smallBatchBytes) await pause(smallBatchDelayMs - batchDelayMs)
  }
  const untilNotified = () =>
    new Promise<void>((resolve) => {
      if (isNotified || stopping.signal.aborted) resolve()
      else wake = resolve
    })

  const run = async () => {
    while (performance.now() < stopAt) {
      isNotified = false
      try {
        if (await shipNext(options)) {
          if (failures > 0) log.info('audit records are shipped again')
          failures = 0
          // Without the delay each message would hold only the records written during the previous confirm.
          if (unshipped() < auditMessageBytesMax) await gather()
          continue
        }
      } catch (err) {
        if (failures === 0) log.warn({ err }, 'audit records cannot be shipped; they stay in the spool')
        failures += 1
        options.onFailure()
        if (stopping.signal.aborted) return
        await pause(Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(failures, 10)))
        continue
      }
      if (stopping.signal.aborted) return
      await untilNotified()
      await gather()
    }
  }
  const running = run()
  return {
    notify: () => {
      isNotified = true
      wake()
    },
    stop: async () => {
      stopping.abort()
      stopAt = performance.now() + stopTimeoutMs
      wake()
      await Promise.race([running, delay(stopTimeoutMs, undefined, { ref: false })])
      const remaining = unshipped()
      if (remaining > 0) log.warn({ bytes: remaining }, 'unshipped audit records remain for the next start')
    },
  }
}

/** Publishes up to `rangesMax` ranges of the oldest unshipped segment. False when every segment is shipped. */
async function shipNext({ segments, publish, log, onTorn }: ShipperOptions): Promise<boolean> {
  const segment = segments.find(({ shipped, written, isOpen }) => shipped < written || !isOpen)
  if (segment === undefined) return false
  const ranges: { readonly length: number; readonly confirmed: Promise<unknown> }[] = []
  let offset = segment.shipped
  let range: SegmentRange | undefined
  while (ranges.length < rangesMax) {
    range = await readSegmentRange({ ...segment, shipped: offset }, rangeBytesMax)
    if (range?.kind !== 'lines') break
    const { bytes } = range
    const confirmed = Promise.all(divideIntoMessages(bytes).map(publish))
    // Awaited below. Until then a rejection must not count as unhandled.
    confirmed.catch(() => {})
    ranges.push({ length: bytes.length, confirmed })
    offset += bytes.length
  }
  for (const { length, confirmed } of ranges) {
    await confirmed
    segment.shipped += length
  }
  if (range?.kind === 'torn') {
    log.warn({ path: segment.path, offset: segment.shipped, bytes: range.length }, 'skipped a truncated audit record')
    onTorn(range.length)
    segment.shipped += range.length
  }
  if (!segment.isOpen && segment.shipped >= segment.written) {
    await removeSegment(segment)
    segments.splice(segments.indexOf(segment), 1)
  }
  return true
}
