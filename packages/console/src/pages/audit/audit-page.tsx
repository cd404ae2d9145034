import type { AuditRecord } from '@payments/client/schemas'
import { useState } from 'react'
import { ListPage, useFilters } from '../../layout/list-page.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { Actor } from '../../parts/links.tsx'
import { Outcome } from '../../parts/states.tsx'
import { foreign, toSecond } from '../../text/format.ts'
import { optionsAfter } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'
import { ChainLine } from './chain-line.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { RecordDialog } from './record-dialog.tsx'

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
      empty="No record matches."
      hint="The records of the last requests arrive within seconds."
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

/** The filters of the audit records. */
export const auditFields: readonly SearchField[] = [
  { name: 'trace_id', label: 'Trace-ID' },
  { name: 'path_prefix', label: 'Path begins with' },
  { name: 'operation', label: 'Operation' },
  { name: 'code', label: 'Problem code' },
  { name: 'actor_id', label: 'Id of the actor' },
  {
    name: 'outcome',
    label: 'Outcome',
    options: optionsAfter('Every outcome', {
      success: 'Success',
      'denied,rejected,error': 'Not successful',
      denied: 'Denied',
      rejected: 'Rejected',
      error: 'Error',
    }),
  },
  {
    name: 'client',
    label: 'Client',
    options: optionsAfter('Every client', {
      none: 'Without the console and the command line',
      console: 'The console',
      cli: 'The command line',
    }),
  },
  {
    name: 'actor_type',
    label: 'Actor',
    options: optionsAfter('Every actor', {
      api_key: 'API keys',
      user: 'Users',
      operator: 'Operators',
      anonymous: 'Anonymous',
    }),
  },
  {
    name: 'order',
    label: 'Order',
    options: optionsAfter('Newest first', { oldest: 'Oldest first' }),
  },
  { name: 'occurred_after', label: 'From', isInstant: true },
  { name: 'occurred_before', label: 'To', isInstant: true },
]
