import type { Event } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { ListPage } from '../../layout/list.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { useUnitField, useUnitName } from '../../layout/unit.tsx'
import { EventLink } from '../../parts/links.tsx'
import { useTypeField } from '../../parts/webhooks/names.tsx'
import { foreign } from '../../text/format.ts'
import { Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'

/** The events of the tenant, newest first, as they happen. */
export function EventsPage() {
  return (
    <ListPage
      title="Events"
      about="What happened, newest first. Open an event to see its payload, and which subscriptions received it."
      operation="listTenantEvents"
      topic="events"
      fields={useFields()}
      columns={columnsWith(useUnitName())}
      rowKey={({ tenant_event_id }) => tenant_event_id}
      empty="No event matches."
      hint="An event appears here within a moment."
    />
  )
}

const useFields = (): readonly SearchField[] => [
  { name: 'resource_id', label: 'Resource id' },
  useTypeField(),
  useUnitField(),
  { name: 'created_after', label: 'From', isInstant: true },
  { name: 'created_before', label: 'To', isInstant: true },
  { name: 'trace_id' },
]

const columnsWith = (unitName: (id: string) => string): readonly Column<Event>[] => [
  {
    name: 'Event',
    width: 'minmax(0, 1.5fr)',
    cell: ({ tenant_event_id, event_type, business_unit_id }) => (
      <EventLink id={tenant_event_id} unitId={business_unit_id}>
        {foreign(event_type)}
      </EventLink>
    ),
  },
  {
    name: 'Resource',
    width: 'minmax(0, 1.5fr)',
    cell: ({ resource_id, event_type }) =>
      resource_id === null ? <span className="muted">none</span> : <Resource id={resource_id} type={event_type} />,
  },
  {
    name: 'Business unit',
    width: '11rem',
    cell: ({ business_unit_id }) =>
      business_unit_id === null ? <span className="muted">the whole tenant</span> : unitName(business_unit_id),
  },
  { name: 'Happened', width: '9rem', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
]

/** The pages of resources, by the noun of the event type. */
const pages: Readonly<Record<string, string>> = {
  'api-key.keys': '/keys',
  'business-unit.business-units': '/units',
  'communication.communications': '/messages',
  'communication.templates': '/templates',
  'identity.users': '/users',
  'invite-to-pay.codes': '/invitations',
  'payment-proxy.transactions': '/transactions',
  'rbac.roles': '/roles',
}

/** The resource of an event, as a link to its page where it has one. */
function Resource({ id, type }: { id: string; type: string }) {
  const page = pages[type.split('.', 2).join('.')]
  const text = <code>{id}</code>
  const to: string = `${page}/${id}`
  return page === undefined ? text : <Link to={to}>{text}</Link>
}
