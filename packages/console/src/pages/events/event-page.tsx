import type { EventExplanation } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { useUnitChoice, WithUnit } from '../../layout/unit.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { ExactTime } from '../deliveries/exact-time.tsx'
import { HiddenPayload } from '../deliveries/hidden-payload.tsx'
import { Body } from '../deliveries/http-text.tsx'
import { Outcomes } from './outcomes.tsx'

/** One event: its payload, and for each subscription whether the event was delivered, and why. */
export function EventPage() {
  useChanges()
  const { eventId = '' } = useParams({ strict: false })
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const unitId = search['business_unit_id']
  const choice = useUnitChoice()
  return (
    <Page
      title="Event"
      about="Its payload, and for each subscription whether the event was delivered, and why."
      operation="explainEvent"
      args={{ business_unit_id: unitId ?? choice.unit?.id ?? 'BUSINESS_UNIT_ID', tenant_event_id: eventId }}
    >
      {() =>
        unitId === undefined ? (
          <WithUnit choice={choice}>{(unit) => <Explained eventId={eventId} unitId={unit.id} />}</WithUnit>
        ) : (
          <Explained eventId={eventId} unitId={unitId} />
        )
      }
    </Page>
  )
}

interface ExplainedProps {
  readonly eventId: string
  readonly unitId: string
}

function Explained({ eventId, unitId }: ExplainedProps) {
  const query = useQuery({
    queryKey: ['deliveries', 'event', unitId, eventId],
    queryFn: ({ signal }) => api.explainEvent({ business_unit_id: unitId, tenant_event_id: eventId }, { signal }),
  })
  return <Loaded query={query}>{(event) => <Details event={event} unitId={unitId} />}</Loaded>
}

function Details({ event, unitId }: { event: EventExplanation; unitId: string }) {
  const { tenant_event_id: id, source_trace_id: traceId } = event
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>Type</dt>
          <dd>
            <code>{foreign(event.event_type)}</code>
          </dd>
          <dt>Happened</dt>
          <dd>
            <ExactTime at={event.occurred_at} />
          </dd>
          <dt>Caused by</dt>
          <dd>
            <Link to="/audit" search={{ trace_id: traceId }}>
              the request {traceId}
            </Link>
          </dd>
          <dt>Deliveries</dt>
          <dd>
            <Link to="/deliveries" search={{ tenant_event_id: id }}>
              All deliveries of this event
            </Link>
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyField label="the id" value={id} />
          </dd>
        </dl>
      </section>
      <Outcomes outcomes={event.subscriptions} unitId={unitId} />
      <section className="stack" aria-labelledby="payload">
        <h2 id="payload">Payload</h2>
        <HiddenPayload missing={event.missing_permission} />
        {event.payload === null ? null : <Body text={JSON.stringify(event.payload)} label="Payload of the event" />}
      </section>
    </>
  )
}
