import type { AuditRecord } from '@payments/client/schemas'

const tones = { success: 'good', denied: 'bad', rejected: 'warning', error: 'bad' } as const

/** Status and outcome of a request. */
export function Outcome({ record }: { record: Pick<AuditRecord, 'outcome' | 'status'> }) {
  return (
    <span className="badge" data-tone={tones[record.outcome as keyof typeof tones]}>
      {record.status} {record.outcome}
    </span>
  )
}
