import type { AuditRecord } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { offerDialog } from '../../layout/actions.tsx'
import { ListPage, useFilters } from '../../layout/list.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { Actor } from '../../parts/links.tsx'
import { Outcome } from '../../parts/states.tsx'
import { formatError } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { foreign, formatCount, toSecond } from '../../text/format.ts'
import { CopyField, Facts, Notice, Text, Time } from '../../ui/content.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { optionsAfter } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'
import { ExportDialog } from './export-dialog.tsx'

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
      action={offerDialog('listRecords', 'Export', (close) => <ExportDialog filters={filters} onClose={close} />)}
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
const auditFields: readonly SearchField[] = [
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

const refetchMs = 15_000

/** How many records are sealed, and what the last verification found. */
function ChainLine() {
  const { data, error } = useQuery({
    queryKey: ['audit-chain'],
    queryFn: ({ signal }) => api.readChain({}, { signal }),
    refetchInterval: refetchMs,
  })
  if (data === undefined) return error === null ? null : <p className="muted">{formatError(error)}</p>
  const { sealed_count, sealed_at, last_verified_at, last_verification_findings: findings } = data
  if (sealed_at === null) return <p className="muted">No record is sealed yet.</p>
  return (
    <>
      {findings === null || findings === 0 ? null : (
        <Notice tone="bad" title="The last verification found records that differ from their seal.">
          Their number is {formatCount(findings)}. Contact the operator of the platform.
        </Notice>
      )}
      <p className="muted">
        Sealed to record {formatCount(sealed_count)}, <Time at={sealed_at} />;{' '}
        {last_verified_at === null ? (
          'not verified yet.'
        ) : (
          <>
            last verification {findings === 0 ? 'without findings' : `with ${formatCount(findings ?? 0)} findings`},{' '}
            <Time at={last_verified_at} />.
          </>
        )}
      </p>
    </>
  )
}

/** One audit record, with what support needs. */
function RecordDialog({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  const { actor, occurred_at: at, trace_id: traceId } = record
  const when = (
    <>
      <Time at={at} /> <small>{at}</small>
    </>
  )
  const who = (
    <>
      <Actor type={actor.type} id={actor.id} />{' '}
      <small>
        {actor.type} {foreign(actor.id ?? '')}
      </small>
    </>
  )
  const trace = (
    <>
      <CopyField label="the Trace-ID" value={traceId} />{' '}
      <Link to="/audit" search={{ trace_id: traceId }} onClick={onClose}>
        Records of this trace
      </Link>
    </>
  )
  return (
    <Dialog title={foreign(record.operation ?? 'Request')} onClose={onClose}>
      <Facts
        facts={{
          Outcome: <Outcome record={record} />,
          When: when,
          Actor: who,
          Method: <Text text={record.method} />,
          Path: <Text text={record.path} />,
          Permission: <Text text={record.permission} />,
          Problem: <Text text={record.code} />,
          Client: <Text text={record.client} />,
          Address: <Text text={record.ip} />,
          'User-Agent': <Text text={record.user_agent} />,
          Duration: `${Math.ceil(record.duration_ms)} ms`,
          'Trace-ID': trace,
        }}
      />
    </Dialog>
  )
}
