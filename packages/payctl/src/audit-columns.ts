import type { AuditRecord, Finding } from '@payments/contracts/services/audit/contract'
import { isUuid } from './arguments.ts'
import { ageColumn, type Column, shortId, wideColumn } from './table.ts'

/** The result of the verification of one chain. */
export interface AuditReport {
  readonly tenant_id: string | null
  seals: number
  records_checked: number
  beyond_retention: number
  unsealed: number
  checkpoints_met: number
  findings: (Pick<Finding, 'sequence' | 'detail'> & { kind: Finding['kind'] | 'checkpoint_missed' })[]
}

const formatActor = ({ actor: { type, id } }: Pick<AuditRecord, 'actor'>) => (id === null ? type : `${type}:${id}`)
const formatShortActor = ({ actor: { type, id } }: Pick<AuditRecord, 'actor'>) =>
  isUuid(id ?? '') ? `${type}:${shortId(id)}` : (id ?? type)

export const recordColumns: readonly Column<AuditRecord>[] = [
  ageColumn('occurred', 'age', (record) => record.occurred_at),
  { title: 'actor', cell: formatActor, narrow: { title: 'actor', cell: formatShortActor }, fit: 'end' },
  wideColumn('client', (record) => record.client),
  { title: 'operation', cell: (record) => record.operation, fit: 'end' },
  wideColumn('method', (record) => record.method),
  wideColumn('path', (record) => record.path),
  { title: 'status', cell: (record) => record.status },
  { title: 'code', cell: (record) => record.code, fit: 'end' },
  { title: 'address', cell: (record) => record.ip, fit: 'end' },
  wideColumn('trace id', (record) => record.trace_id),
]

const chainColumn: Column<Pick<AuditReport, 'tenant_id'>> = {
  title: 'chain',
  cell: ({ tenant_id: id }) => id ?? 'no tenant',
  narrow: { title: 'chain', cell: ({ tenant_id: id }) => shortId(id) ?? 'no tenant' },
}

export const reportColumns: readonly Column<AuditReport>[] = [
  chainColumn,
  { title: 'seals', cell: (report) => report.seals },
  { title: 'records', cell: (report) => report.records_checked },
  { title: 'expired', cell: (report) => report.beyond_retention },
  { title: 'unsealed', cell: (report) => report.unsealed },
  { title: 'checkpoints', cell: (report) => report.checkpoints_met },
  { title: 'findings', cell: (report) => report.findings.length },
]

export const findingColumns: readonly Column<AuditReport['findings'][number] & Pick<AuditReport, 'tenant_id'>>[] = [
  chainColumn,
  { title: 'seal', cell: (one) => one.sequence },
  { title: 'finding', cell: (one) => one.kind },
  { title: 'detail', cell: (one) => one.detail, fit: 'fold' },
]
