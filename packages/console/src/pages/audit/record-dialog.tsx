import type { AuditRecord } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Actor } from '../../parts/actor.tsx'
import { Outcome } from '../../parts/states.tsx'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Time } from '../../ui/time.tsx'

/** One audit record, with what support needs. */
export function RecordDialog({ record, onClose }: { record: AuditRecord; onClose: () => void }) {
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
          Method: textOrNone(record.method),
          Path: textOrNone(record.path),
          Permission: textOrNone(record.permission),
          Problem: textOrNone(record.code),
          Client: textOrNone(record.client),
          Address: textOrNone(record.ip),
          'User-Agent': textOrNone(record.user_agent),
          Duration: `${Math.ceil(record.duration_ms)} ms`,
          'Trace-ID': trace,
        }}
      />
    </Dialog>
  )
}

const textOrNone = (text: string | null) => (text === null ? <span className="muted">none</span> : foreign(text))
