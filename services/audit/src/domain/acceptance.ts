import { mayRecord } from '@payments/contracts/edges/audit-operations'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'

const dayMs = 24 * 60 * 60 * 1000

/** unreadable: wrong checksum or form · misattributed: not allowed for its producer · out_of_period: see below. */
export const recordRejections = ['unreadable', 'misattributed', 'out_of_period'] as const
export type RecordRejection = (typeof recordRejections)[number]

/**
 * The reason to reject a record, or undefined. Deduplication compares a record with stored records. Therefore two kinds
 * of records are out of period:
 *
 * - A record whose day may have been purged: a replayed message would store the record again.
 * - A record from more than a day ahead: deduplication reads only the days from the day before the record occurred.
 */
export function findRejection(
  record: AuditRecord,
  producer: string,
  { now, retentionDays }: { now: Date; retentionDays: number },
): RecordRejection | undefined {
  if (!mayRecord(producer, record)) return 'misattributed'
  const ageMs = now.getTime() - Date.parse(record.occurred_at)
  return ageMs > (retentionDays - 1) * dayMs || ageMs < -dayMs ? 'out_of_period' : undefined
}
