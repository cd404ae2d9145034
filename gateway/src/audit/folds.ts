import { actorName } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import type { Log } from '@payments/chassis/observability/log'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { minimalRecord } from './minimal-record.ts'

/**
 * **What it does.** Folds requests that would fill the audit spool: writes one audit record per subject and minute,
 * with the number of its requests. Folded are unverified requests beyond the allowance of their address, since a flood
 * has many, and waits that succeed or that their client leaves, since an open page waits again and again.
 *
 * **Guarantees.** Each request added is in the `count` of one record. A count for which the spool has no capacity is
 * retained and written in a later minute.
 *
 * **Not guaranteed.** The counts of the last minute, when the process is killed.
 */
export type Folds = ReturnType<typeof createFolds>

interface FoldOptions {
  /** Appends the record to the spool. False when the spool has no capacity. */
  readonly write: (record: AuditRecord) => boolean
  /** For a line with each record of an address. */
  readonly log?: Log
  readonly subjectsMax?: number
  readonly intervalMs?: number
}

/** The subject of unverified requests from addresses beyond `subjectsMax`. */
const otherAddresses = ''

export function createFolds({ write, log, subjectsMax = 10_000, intervalMs = 60_000 }: FoldOptions) {
  const folds = new Map<string, AuditRecord>()
  const flush = () => {
    for (const [subject, record] of folds) {
      if (!write(record)) return
      folds.delete(subject)
      log?.info({ ip: record.ip, count: record.count }, 'unverified requests beyond the allowance of their address')
    }
  }
  const timer = setInterval(flush, intervalMs).unref()
  return {
    /** `firstRecord` creates the record of the subject. False beyond `subjectsMax`: nothing was added. */
    add(subject: string, firstRecord: () => AuditRecord): boolean {
      const record = folds.get(subject)
      if (record === undefined && folds.size >= subjectsMax && subject !== otherAddresses) return false
      if (record === undefined) folds.set(subject, firstRecord())
      else record.count += 1
      return true
    },
    /** Writes the counts. */
    close(): void {
      clearInterval(timer)
      flush()
    },
  }
}

/** Adds an unverified request of an address. Members that differ between such requests are null. */
export function foldUnverified(folds: Folds, address: string): void {
  const record = (ip: string) =>
    minimalRecord({ trace_id: newId(), outcome: 'denied', status: 429, code: 'rate_limited', ip })
  const isAdded = folds.add(address, () => record(address))
  if (!isAdded) folds.add(otherAddresses, () => record(otherAddresses))
}

/** Adds a wait. Its duration says nothing about the gateway. */
export function foldWait(folds: Folds, record: AuditRecord): boolean {
  const { tenant_id: tenantId, actor, operation, status, client_gone: isGone } = record
  const subject = `${tenantId} ${actorName({ type: actor.type, id: String(actor.id) })} ${operation} ${status} ${isGone}`
  return folds.add(subject, () => ({ ...record, duration_ms: 0 }))
}
