import { actorName } from '@payments/chassis/base/caller'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'

/**
 * **What it does.** Folds the waits of an actor that succeed or that the client leaves: one audit record per tenant,
 * actor, operation, status and minute, with the number of waits. A page that is open waits again and again, and would
 * fill the audit of its tenant.
 *
 * **Guarantees.** Each wait added is in the `count` of one record. A count for which the spool has no capacity is
 * retained and written in a later minute.
 *
 * **Not guaranteed.** The counts of the last minute, when the process is killed.
 */
export interface WaitFolds {
  /** False beyond `subjectsMax`: the wait needs a record of its own. */
  add(record: AuditRecord): boolean
  /** Writes the counts. */
  close(): void
}

export interface WaitFoldOptions {
  /** Appends the record to the spool. False when the spool has no capacity. */
  readonly write: (record: AuditRecord) => boolean
  readonly subjectsMax?: number
  readonly intervalMs?: number
}

export function createWaitFolds({ write, subjectsMax = 10_000, intervalMs = 60_000 }: WaitFoldOptions): WaitFolds {
  const folds = new Map<string, AuditRecord>()
  const flush = () => {
    for (const [subject, record] of folds) {
      if (!write(record)) return
      folds.delete(subject)
    }
  }
  const timer = setInterval(flush, intervalMs).unref()
  return {
    add(record) {
      const { tenant_id: tenantId, actor, operation, status, client_gone: isGone } = record
      const subject = `${tenantId} ${actorName({ type: actor.type, id: String(actor.id) })} ${operation} ${status} ${isGone}`
      const first = folds.get(subject)
      if (first === undefined && folds.size >= subjectsMax) return false
      // Without a duration: that of a wait says nothing about the gateway.
      folds.set(subject, { ...(first ?? { ...record, duration_ms: 0 }), count: (first?.count ?? 0) + record.count })
      return true
    },
    close() {
      clearInterval(timer)
      flush()
    },
  }
}
