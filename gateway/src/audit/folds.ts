import { newId } from '@payments/chassis/base/id'
import type { Log } from '@payments/chassis/observability/log'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { minimalRecord } from './minimal-record.ts'

/**
 * **What it does.** Folds requests without a verified credential beyond the allowance of their address: counts them and
 * writes one audit record per address and minute. So a flood costs the audit spool one record, not one per request.
 *
 * **Guarantees.** Each request added is in the `count` of one record. At most `addressesMax` addresses are tracked;
 * requests from further addresses are counted in one record without an address. A count for which the spool has no
 * capacity is retained and written in a later minute.
 *
 * **Not guaranteed.** The counts of the last minute, when the process is killed.
 */
export interface Folds {
  add(address: string): void
  /** Writes the counts. */
  close(): void
}

export interface FoldOptions {
  /** Appends the record to the spool. False when the spool has no capacity. */
  readonly write: (record: AuditRecord) => boolean
  /** For metrics. */
  readonly onAdd: () => void
  readonly log: Log
  readonly addressesMax?: number
  readonly intervalMs?: number
}

interface Fold {
  count: number
  readonly since: number
}

const otherAddresses = ''

export function createFolds(options: FoldOptions): Folds {
  const { write, onAdd, log, addressesMax = 10_000, intervalMs = 60_000 } = options
  const folds = new Map<string, Fold>()
  const flush = () => {
    for (const [address, fold] of folds) {
      if (!write(buildFoldRecord(address, fold))) return
      folds.delete(address)
      log.info({ ip: address, count: fold.count }, 'unverified requests beyond the allowance of their address')
    }
  }
  const timer = setInterval(flush, intervalMs).unref()
  return {
    add(address) {
      onAdd()
      const subject = folds.has(address) || folds.size < addressesMax ? address : otherAddresses
      const fold = folds.get(subject)
      if (fold === undefined) folds.set(subject, { count: 1, since: Date.now() })
      else fold.count += 1
    },
    close() {
      clearInterval(timer)
      flush()
    },
  }
}

/** The members that differ between the requests are null. */
function buildFoldRecord(ip: string, { count, since }: Fold): AuditRecord {
  const occurredAt = new Date(since).toISOString()
  const decision = { outcome: 'denied', status: 429, code: 'rate_limited' } as const
  return minimalRecord({ occurred_at: occurredAt, trace_id: newId(), ...decision, ip, count })
}
