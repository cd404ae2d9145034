import type { ReadinessCheck } from '@payments/chassis/health'
import type { Log } from '@payments/chassis/log'
import type { Metrics } from '@payments/chassis/metrics'
import type { AuditRecord } from '@payments/contracts/audit'
import { type AuditProducer, auditQueue, encodeAuditLine, signAuditMessage } from '@payments/contracts/audit-line'
import { auditTopology } from '@payments/messaging/audit-topology'
import { openConnection } from '@payments/messaging/connection'
import { Publisher } from '@payments/messaging/publisher'
import { named } from '@payments/messaging/topology'
import { lockDirectory } from './directory-lock.ts'
import { createFolds } from './folds.ts'
import { createSpoolMetrics } from './metrics.ts'
import { leftoverSegments } from './segment.ts'
import { startShipper } from './shipper.ts'
import { type Done, WriteAheadFile } from './write-ahead-file.ts'

/**
 * The audit trail of one gateway: file, shipper, and the rule that no request goes unrecorded. While the broker is away the file
 * grows; at its limit, or when the disk refuses, `admit` says no, and requests are answered 503 until there is room again.
 */
export interface AuditSpool {
  /** Takes a place for one record, of `unverified` requests in their part of the file. False where there is none: the request must be refused. */
  admit(source: 'any' | 'unverified'): boolean
  /** Whether the part of the file that unverified requests may fill has no room for what is admitted already. */
  isFull(): boolean
  /** Counts an unverified request that gets no record of its own (folds.ts). */
  fold(address: string): void
  /** Likewise, and gives back the place taken for it. */
  foldAdmitted(address: string): void
  /** Calls `done` when the record is in the file, on the disk where `isDurable`. Each place taken is given back here. */
  append(record: AuditRecord, isDurable: boolean, done: Done): void
  readonly check: ReadinessCheck
  close(): Promise<void>
}

export interface AuditSpoolOptions {
  readonly directory: string
  /** All segments together. */
  readonly fileBytesMax: number
  readonly broker: { readonly url: string; readonly prefix: string }
  /** Signs the messages. */
  readonly producer: AuditProducer
  readonly log: Log
  readonly metrics: Metrics
}

const segmentBytesMax = 4 * 1024 * 1024
/** More than any record has. */
const recordBytesMax = 8 * 1024
const publishTimeoutMs = 3_000
/** Of the file; the rest is reserved for requests with a verified credential. */
const unverifiedShare = 0.5

export async function openAuditSpool(options: AuditSpoolOptions): Promise<AuditSpool> {
  const { directory, fileBytesMax, broker, producer, log, metrics } = options
  const segments = await leftoverSegments(directory)
  const unlock = await lockDirectory(directory)
  const connection = await openConnection({ url: broker.url, purpose: 'publish', name: 'gateway', log })
  const publisher = new Publisher({
    connection,
    topology: auditTopology(broker.prefix),
    log,
    timeoutMs: publishTimeoutMs,
  })
  const bytesOnDisk = () => segments.reduce((sum, { written }) => sum + written, 0)
  const meters = createSpoolMetrics(metrics.registry, {
    fileBytes: bytesOnDisk,
    unshippedBytes: () => segments.reduce((sum, { written, shipped }) => sum + written - shipped, 0),
  })
  const shipper = startShipper({
    segments,
    publish: (publication) =>
      publisher.publish({ ...publication, headers: signAuditMessage(producer, publication.body) }),
    queue: named(broker.prefix, auditQueue.name),
    log,
    failed: () => meters.shipFailed(),
    torn: (bytes) => meters.torn(bytes),
  })
  const file = new WriteAheadFile({
    directory,
    segments,
    segmentBytesMax: Math.min(segmentBytesMax, Math.ceil(fileBytesMax / 4)),
    log,
    written: () => shipper.kick(),
    failed: () => meters.writeFailed(),
  })
  const places = createPlaces({ file, bytesOnDisk, fileBytesMax, refused: meters.refused, log })
  const append: AuditSpool['append'] = (record, isDurable, done) => {
    places.giveBack()
    metrics.observeRequest(record.operation ?? 'none', record.status, record.duration_ms / 1000)
    file.append(encodeAuditLine(record), isDurable, done)
  }
  const folds = createFolds({
    write: (record) => {
      const isAdmitted = places.refusal('unverified') === undefined && places.admit('unverified')
      if (isAdmitted) append(record, false, () => {})
      return isAdmitted
    },
    added: () => meters.folded(),
    log,
  })
  return {
    admit: places.admit,
    append,
    isFull: places.isFull,
    fold: folds.add,
    foldAdmitted: (address) => {
      places.giveBack()
      folds.add(address)
    },
    check: async () => places.unready(),
    close: async () => {
      folds.close()
      await file.close()
      await shipper.stop()
      await publisher.close()
      await connection.close()
      await unlock()
    },
  }
}

type UserError = 'full' | 'unverified_full' | 'failing'

interface PlacesOptions {
  readonly file: WriteAheadFile
  readonly bytesOnDisk: () => number
  readonly fileBytesMax: number
  readonly refused: (reason: UserError) => void
  readonly log: Log
}

/** Room in the file that is taken for a record before the record is known. */
function createPlaces({ file, bytesOnDisk, fileBytesMax, refused, log }: PlacesOptions) {
  let taken = 0
  let wasFull = false
  const hasRoom = (bytesMax: number, records = taken + 1) =>
    bytesOnDisk() + file.queuedBytes() + records * recordBytesMax <= bytesMax
  const unverifiedBytesMax = fileBytesMax * unverifiedShare
  const refusal = (source: 'any' | 'unverified'): UserError | undefined => {
    if (file.failure() !== undefined) return 'failing'
    const isFull = !hasRoom(fileBytesMax)
    if (isFull !== wasFull)
      log[isFull ? 'error' : 'info']({ bytes: bytesOnDisk(), isFull }, 'the room for audit records')
    wasFull = isFull
    if (isFull) return 'full'
    return source === 'unverified' && !hasRoom(unverifiedBytesMax) ? 'unverified_full' : undefined
  }
  return {
    refusal,
    admit(source: 'any' | 'unverified'): boolean {
      const reason = refusal(source)
      if (reason === undefined) taken += 1
      else refused(reason)
      return reason === undefined
    },
    giveBack() {
      taken -= 1
    },
    isFull: () => !hasRoom(unverifiedBytesMax, taken),
    /** Why the process is not ready; null where it is. */
    unready(): string | null {
      const reason = refusal('any')
      if (reason === undefined) return null
      return reason === 'full' ? 'the file of audit records is full' : 'audit records cannot be written'
    },
  }
}
