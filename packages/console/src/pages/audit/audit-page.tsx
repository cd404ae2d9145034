import type { AuditRecord } from '@payments/client/schemas'
import { useState } from 'react'
import { ListPage, useFilters } from '../../layout/list-page.tsx'
import { Empty } from '../../layout/page.tsx'
import { Actor } from '../../parts/actor.tsx'
import { Outcome } from '../../parts/states.tsx'
import { foreign } from '../../text/foreign.ts'
import { toSecond } from '../../text/format.ts'
import type { Column } from '../../ui/table.tsx'
import { ChainLine } from './chain-line.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { RecordDialog } from './record-dialog.tsx'
import { auditFields } from './search-fields.ts'

/** Every request of the tenant. */
export function AuditPage() {
  const filters = useFilters(auditFields)
  const [open, setOpen] = useState<AuditRecord>()
  return (
    <ListPage
      title="Audit"
      label="Audit records"
      about="One record of each request to the API, also of those that were denied."
      operation="listRecords"
      topic="audit"
      fields={auditFields}
      columns={columnsWith(setOpen)}
      empty={<Empty title="No record matches.">The records of the last requests arrive within seconds.</Empty>}
      action={{
        operation: 'listRecords',
        label: 'Export',
        dialog: (close) => <ExportDialog filters={filters} onClose={close} />,
      }}
      above={<ChainLine />}
      below={open === undefined ? null : <RecordDialog record={open} onClose={() => setOpen(undefined)} />}
    />
  )
}

const columnsWith = (onOpen: (record: AuditRecord) => void): readonly Column<AuditRecord>[] => [
  {
    name: 'When',
    width: '11rem',
    cell: ({ occurred_at }) => <time dateTime={occurred_at}>{toSecond(new Date(occurred_at))}</time>,
  },
  {
    name: 'Operation',
    width: 'minmax(0, 1.5fr)',
    cell: ({ operation, method }) => foreign(operation ?? method ?? 'unknown'),
  },
  { name: 'Outcome', width: '8rem', cell: (record) => <Outcome record={record} /> },
  { name: 'Actor', cell: ({ actor }) => <Actor type={actor.type} id={actor.id} /> },
  { name: 'Requests', width: '6rem', isNumber: true, cell: ({ count }) => count },
  {
    name: '',
    width: '6rem',
    cell: (record) => (
      <button type="button" aria-label={`Details of ${record.trace_id}`} onClick={() => onOpen(record)}>
        Details
      </button>
    ),
  },
]
