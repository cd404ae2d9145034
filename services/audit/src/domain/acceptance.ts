import type { AuditRecord } from '@payments/contracts/audit'
import { mayRecord } from '@payments/contracts/audit-line'

const dayMs = 24 * 60 * 60 * 1000

/** unreadable: a line that no producer wrote · misattributed: not the producer's to record · out_of_period: see below. */
export const recordRefusals = ['unreadable', 'misattributed', 'out_of_period'] as const
export type RecordRefusal = (typeof recordRefusals)[number]

/**
 * Why a record must not be stored, or undefined. Records are deduplicated against those that are still stored, so a record
 * whose day may have been purged is refused: a replayed message would store it again. So is one of the day after tomorrow,
 * which deduplication would not look for among those stored today.
 */
export function refusalOf(
  record: AuditRecord,
  producer: string,
  { now, retentionDays }: { now: Date; retentionDays: number },
): RecordRefusal | undefined {
  if (!mayRecord(producer, record)) return 'misattributed'
  const ageMs = now.getTime() - Date.parse(record.occurred_at)
  return ageMs > (retentionDays - 1) * dayMs || ageMs < -dayMs ? 'out_of_period' : undefined
}
