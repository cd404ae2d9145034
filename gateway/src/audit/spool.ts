import { newId } from '@payments/chassis/base/id'
import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import type { Metrics } from '@payments/chassis/process/metrics'
import { type AuditProducer, encodeAuditLine, signAuditMessage } from '@payments/contracts/edges/audit-line'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { auditAddress } from '@payments/messaging/broker/audit-topology'
import { openConnection } from '@payments/messaging/broker/connection'
import { Publisher } from '@payments/messaging/broker/publisher'
import { lockDirectory } from './directory-lock.ts'
import { createFolds, foldUnverified, foldWait } from './folds.ts'
import { createRecordObserver, createSpoolCounters, type SpoolCounters } from './metrics.ts'
import { leftoverSegments } from './segment.ts'
import { startShipper } from './shipper.ts'
import { type Done, WriteAheadFile } from './write-ahead-file.ts'

/**
 * **What it does.** Stores the audit records of one gateway until they are shipped. Reserves capacity for the record
 * before its request is served.
 *
 * **Guarantees.** At the limit, or while writes fail, `reserve` returns false, so requests get 503 instead of going
 * unaudited. Unverified requests can fill half of the spool at most.
 *
 * **Not guaranteed.** Capacity while the broker is down: the spool grows to `fileBytesMax`.
 */
export interface AuditSpool {
  /** Reserves capacity for one record, in the unverified part for `unverified`. False: the request must be rejected. */
  reserve(source: 'any' | 'unverified'): boolean
  /** Releases a reservation whose request is folded. */
  release(): void
  /** Whether the unverified part has no capacity for the reserved records. */
  isFull(): boolean
  /** Counts an unverified request in the record of its address (folds.ts). */
  fold(address: string): void
  /** Counts a wait in a shared record (folds.ts). False: append its record. */
  foldWait(record: AuditRecord): boolean
  /** Releases the reservation. Calls `done` when the record is in the file, and on the disk if `isDurable`. */
  append(record: AuditRecord, isDurable: boolean, done: Done): void
  readonly check: ReadinessCheck
  close(): Promise<void>
}

export interface AuditSpoolOptions {
  readonly directory: string
  /** Limit of all segments together. */
  readonly fileBytesMax: number
  readonly broker: { readonly url: string; readonly prefix: string }
  readonly producer: AuditProducer
  readonly log: Log
  readonly metrics: Metrics
}

const segmentBytesMax = 4 * 1024 * 1024
/** Upper bound of the size of a record. */
const recordBytesMax = 8 * 1024
const publishTimeoutMs = 3_000
/** Share of the spool. The rest is reserved for requests with a verified credential. */
const unverifiedShare = 0.5

export async function openAuditSpool(options: AuditSpoolOptions): Promise<AuditSpool> {
  const { directory, fileBytesMax, broker, producer, log, metrics } = options
  const segments = await leftoverSegments(directory)
  const unlock = await lockDirectory(directory)
  const connection = await openConnection({ url: broker.url, purpose: 'publish', name: 'gateway', log })
  const publisher = new Publisher({ connection, topology: [], log, timeoutMs: publishTimeoutMs })
  const bytesOnDisk = () => segments.reduce((sum, { written }) => sum + written, 0)
  const counters = createSpoolCounters(metrics.registry, {
    fileBytes: bytesOnDisk,
    fileBytesMax,
    unshippedBytes: () => segments.reduce((sum, { written, shipped }) => sum + written - shipped, 0),
  })
  const observe = createRecordObserver(metrics)
  const shipper = startShipper({
    segments,
    publish: ({ queue, body }) => {
      const headers = signAuditMessage(producer, body)
      return publisher.publish({ ...auditAddress(broker.prefix, queue), body, messageId: newId(), headers })
    },
    log,
    onFailure: () => counters.shipFailures.inc(),
    onTorn: (bytes) => counters.tornBytes.inc(bytes),
  })
  const file = new WriteAheadFile({
    directory,
    segments,
    segmentBytesMax: Math.min(segmentBytesMax, Math.ceil(fileBytesMax / 4)),
    log,
    onWrite: () => shipper.notify(),
    onFailure: () => counters.writeFailures.inc(),
  })
  const reservations = createReservations({ file, bytesOnDisk, fileBytesMax, rejected: counters.rejected, log })
  const append: AuditSpool['append'] = (record, isDurable, done) => {
    reservations.release()
    observe(record)
    file.append(encodeAuditLine(record), isDurable, done)
  }
  /** A folded record has no reservation. */
  const appendFolded = (source: 'any' | 'unverified', record: AuditRecord): boolean => {
    const isReserved = reservations.rejection(source) === undefined && reservations.reserve(source)
    if (isReserved) append(record, false, () => {})
    return isReserved
  }
  const waits = createFolds({ write: (record) => appendFolded('any', record) })
  const folds = createFolds({ write: (record) => appendFolded('unverified', record), log })
  return {
    reserve: reservations.reserve,
    release: reservations.release,
    isFull: reservations.isFull,
    append,
    fold: (address) => {
      counters.folded.inc()
      foldUnverified(folds, address)
    },
    foldWait: (record) => foldWait(waits, record),
    check: async () => reservations.unready(),
    close: async () => {
      folds.close()
      waits.close()
      await file.close()
      await shipper.stop()
      await publisher.close()
      await connection.close()
      await unlock()
    },
  }
}

type Rejection = 'full' | 'unverified_full' | 'failing'

interface ReservationsOptions {
  readonly file: WriteAheadFile
  readonly bytesOnDisk: () => number
  readonly fileBytesMax: number
  readonly rejected: SpoolCounters['rejected']
  readonly log: Log
}

/** Reserves capacity of the spool for records that are not known yet. */
function createReservations({ file, bytesOnDisk, fileBytesMax, rejected, log }: ReservationsOptions) {
  let reserved = 0
  let wasFull = false
  const hasCapacity = (bytesMax: number, records = reserved + 1) =>
    bytesOnDisk() + file.queuedBytes() + records * recordBytesMax <= bytesMax
  const unverifiedBytesMax = fileBytesMax * unverifiedShare
  const rejection = (source: 'any' | 'unverified'): Rejection | undefined => {
    if (file.failure() !== undefined) return 'failing'
    const isFull = !hasCapacity(fileBytesMax)
    if (isFull && !wasFull) log.error({ bytes: bytesOnDisk() }, 'the audit spool is full')
    if (!isFull && wasFull) log.info({ bytes: bytesOnDisk() }, 'the audit spool has capacity again')
    wasFull = isFull
    if (isFull) return 'full'
    return source === 'unverified' && !hasCapacity(unverifiedBytesMax) ? 'unverified_full' : undefined
  }
  return {
    rejection,
    reserve(source: 'any' | 'unverified'): boolean {
      const reason = rejection(source)
      if (reason === undefined) reserved += 1
      else rejected.inc({ reason })
      return reason === undefined
    },
    release() {
      reserved -= 1
    },
    isFull: () => !hasCapacity(unverifiedBytesMax, reserved),
    /** The reason why the process is not ready; null when it is ready. */
    unready(): string | null {
      const reason = rejection('any')
      if (reason === undefined) return null
      return reason === 'full' ? 'the audit spool is full' : 'audit records cannot be written'
    },
  }
}
