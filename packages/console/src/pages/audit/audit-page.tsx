import type { AuditRecord } from '@payments/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { type Filters, filtersIn, SearchForm } from '../../layout/search-form.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { toSecond } from '../../text/format.ts'
import type { Column } from '../../ui/table.tsx'
import { Actor } from '../users/actor.tsx'
import { ChainLine } from './chain-line.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { Outcome } from './outcome.tsx'
import { RecordDialog } from './record-dialog.tsx'
import { auditFields } from './search-fields.ts'

/** Every request of the tenant. */
export function AuditPage() {
  const filters = filtersIn(auditFields, useSearch({ strict: false }))
  const navigate = useNavigate()
  const [open, setOpen] = useState<AuditRecord>()
  const [isExporting, setExporting] = useState(false)
  return (
    <Page
      title="Audit"
      about="One record of each request to the API, also of those that were denied."
      operation="listRecords"
      args={filters}
      actions={
        <ActionButton operation="listRecords" onClick={() => setExporting(true)}>
          Export
        </ActionButton>
      }
    >
      {() => (
        <>
          <ChainLine />
          <SearchForm
            fields={auditFields}
            filters={filters}
            onChange={(search) => void navigate({ to: '/audit', search, replace: true })}
          />
          <List
            label="Audit records"
            query={recordsQuery(filters)}
            columns={columnsWith(setOpen)}
            idOf={({ id }) => id}
            empty={<Empty title="No record matches.">The records of the last requests arrive within seconds.</Empty>}
          />
          {isExporting ? <ExportDialog filters={filters} onClose={() => setExporting(false)} /> : null}
          {open === undefined ? null : <RecordDialog record={open} onClose={() => setOpen(undefined)} />}
        </>
      )}
    </Page>
  )
}

const recordsQuery = (filters: Filters) =>
  listQuery<AuditRecord>({
    key: ['audit', filters],
    read: (cursor, signal) =>
      api
        .listRecords(
          { ...filters, limit: 50, ...(cursor === undefined ? {} : { cursor }) } as Parameters<
            typeof api.listRecords
          >[0],
          { signal },
        )
        .page(),
    isLive: filters['order'] !== 'oldest',
  })

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
