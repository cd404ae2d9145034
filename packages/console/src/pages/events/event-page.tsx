import type { EventExplanation } from '@payments/client/schemas'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { Loaded, Page } from '../../layout/page.tsx'
import { useUnitChoice, WithUnit } from '../../layout/unit.tsx'
import { DeliveryLink, TraceLink } from '../../parts/links.tsx'
import { DeliveryState } from '../../parts/states.tsx'
import { Body, HiddenPayload } from '../../parts/webhooks/attempt-list.tsx'
import { SubscriptionLink } from '../../parts/webhooks/names.tsx'
import { useChanges } from '../../session/changes.ts'
import { useResource } from '../../session/reads.ts'
import { foreign, readable } from '../../text/format.ts'
import { CopyField, Details, ExactTime, Section } from '../../ui/content.tsx'
import { type Column, Table } from '../../ui/table.tsx'

/** One event: its payload, and for each subscription whether the event was delivered, and why. */
export function EventPage() {
  useChanges('deliveries')
  const { tenant_event_id: eventId = '' } = useParams({ strict: false })
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

function Explained({ eventId, unitId }: { eventId: string; unitId: string }) {
  const query = useResource('deliveries', 'explainEvent', { business_unit_id: unitId, tenant_event_id: eventId })
  return <Loaded query={query}>{(event) => <Explanation event={event} unitId={unitId} />}</Loaded>
}

function Explanation({ event, unitId }: { event: EventExplanation; unitId: string }) {
  const { tenant_event_id: id, source_trace_id: traceId } = event
  return (
    <>
      <Details
        facts={{
          Type: <code>{foreign(event.event_type)}</code>,
          Happened: <ExactTime at={event.occurred_at} />,
          'Caused by': <TraceLink id={traceId}>the request {traceId}</TraceLink>,
          Deliveries: (
            <Link to="/deliveries" search={{ tenant_event_id: id }}>
              All deliveries of this event
            </Link>
          ),
          Id: <CopyField label="the id" value={id} />,
        }}
      />
      <Outcomes outcomes={event.subscriptions} unitId={unitId} />
      <Section title="Payload">
        <HiddenPayload missing={event.missing_permission} />
        {event.payload === null ? null : <Body text={JSON.stringify(event.payload)} label="Payload of the event" />}
      </Section>
    </>
  )
}

type Outcome = EventExplanation['subscriptions'][number]

/** The outcome of an event for each subscription of a business unit. */
function Outcomes({ outcomes, unitId }: { outcomes: readonly Outcome[]; unitId: string }) {
  return (
    <Section title="Subscriptions">
      {outcomes.length === 0 ? (
        <p className="muted">The business unit has no subscription.</p>
      ) : (
        <Table
          label="Outcomes"
          columns={columnsWith(unitId)}
          rows={outcomes}
          rowKey={({ subscription_id }) => subscription_id}
        />
      )}
    </Section>
  )
}

const columnsWith = (unitId: string): readonly Column<Outcome>[] => [
  { name: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} unitId={unitId} /> },
  { name: 'Outcome', width: '8rem', cell: ({ outcome }) => <DeliveryState status={outcome} /> },
  { name: 'Reason', width: 'minmax(0, 2fr)', cell: ({ reason }) => readable(reason) },
  {
    name: 'Delivery',
    width: '6rem',
    cell: ({ delivery_id: id }) =>
      id === null ? (
        <span className="muted">none</span>
      ) : (
        <DeliveryLink unitId={unitId} id={id}>
          Open
        </DeliveryLink>
      ),
  },
]
