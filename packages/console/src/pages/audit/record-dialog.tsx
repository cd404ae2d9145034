import type { AuditRecord } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Actor } from '../../parts/links.tsx'
import { Outcome } from '../../parts/states.tsx'
import { foreign } from '../../text/format.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/section.tsx'
import { CopyField, Text, Time } from '../../ui/values.tsx'

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
