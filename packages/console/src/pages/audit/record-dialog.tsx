import type { AuditRecord } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { Actor } from '../users/actor.tsx'
import { Outcome } from './outcome.tsx'

/** One audit record, with what support needs. */
export function RecordDialog({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Method', record.method],
    ['Path', record.path],
    ['Permission', record.permission],
    ['Problem', record.code],
    ['Client', record.client],
    ['Address', record.ip],
    ['User-Agent', record.user_agent],
    ['Duration', `${Math.ceil(record.duration_ms)} ms`],
  ]
  return (
    <Dialog title={foreign(record.operation ?? 'Request')} onClose={onClose}>
      <dl className="facts">
        <dt>Outcome</dt>
        <dd>
          <Outcome record={record} />
        </dd>
        <dt>When</dt>
        <dd>
          <Time at={record.occurred_at} /> <small>{record.occurred_at}</small>
        </dd>
        <dt>Actor</dt>
        <dd>
          <Actor type={record.actor.type} id={record.actor.id} />{' '}
          <small>
            {record.actor.type} {foreign(record.actor.id ?? '')}
          </small>
        </dd>
        {facts.flatMap(([name, value]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name} value`}>{value === null ? <span className="muted">none</span> : foreign(value)}</dd>,
        ])}
        <dt>Trace-ID</dt>
        <dd>
          <CopyField label="the Trace-ID" value={record.trace_id} />{' '}
          <Link to="/audit" search={{ trace_id: record.trace_id }} onClick={onClose}>
            Records of this trace
          </Link>
        </dd>
      </dl>
    </Dialog>
  )
}
