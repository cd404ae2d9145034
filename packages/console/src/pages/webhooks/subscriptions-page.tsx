import type { ListedWebhookSubscription } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { useUnitChoice, WithUnit } from '../../layout/unit.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { foreign } from '../../text/foreign.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { EventTypes } from './event-types.tsx'
import { Health } from './health.tsx'
import { CreateSubscriptionDialog } from './subscription-dialogs.ts'

/** The webhook subscriptions of a business unit, each with its state. */
export function SubscriptionsPage() {
  useChanges()
  const [isCreating, setCreating] = useState(false)
  const choice = useUnitChoice()
  return (
    <Page
      title="Subscriptions"
      about="Endpoints that receive your events."
      operation="listSubscriptions"
      args={{ business_unit_id: choice.unit?.id ?? 'BUSINESS_UNIT_ID', include: 'health' }}
      actions={
        <ActionButton operation="createSubscription" kind="primary" onClick={() => setCreating(true)}>
          Create subscription
        </ActionButton>
      }
    >
      {() => (
        <WithUnit choice={choice}>
          {(unit) => (
            <>
              <List
                label="Subscriptions"
                query={subscriptionsQuery(unit.id)}
                columns={columns}
                idOf={({ id }) => id}
                empty={
                  <Empty title="No endpoint receives events of this business unit.">
                    <p>Create a subscription, send a test event, and see here what your endpoint responds.</p>
                  </Empty>
                }
              />
              <Suspense>
                {isCreating ? <CreateSubscriptionDialog unit={unit} onClose={() => setCreating(false)} /> : null}
              </Suspense>
            </>
          )}
        </WithUnit>
      )}
    </Page>
  )
}

const subscriptionsQuery = (unitId: string) =>
  listQuery<ListedWebhookSubscription>({
    key: ['subscriptions', unitId],
    read: (cursor, signal) =>
      api
        .listSubscriptions(
          { business_unit_id: unitId, include: 'health', limit: 50, ...(cursor === undefined ? {} : { cursor }) },
          { signal },
        )
        .page(),
  })

const columns: readonly Column<ListedWebhookSubscription>[] = [
  {
    name: 'Endpoint',
    width: 'minmax(0, 2fr)',
    cell: ({ id, business_unit_id, label, destination_url }) => (
      <>
        <Link to="/subscriptions/$unitId/$subscriptionId" params={{ unitId: business_unit_id, subscriptionId: id }}>
          {foreign(label ?? destination_url)}
        </Link>
        {label === null ? null : (
          <div>
            <small>{foreign(destination_url)}</small>
          </div>
        )}
      </>
    ),
  },
  { name: 'State', width: '6rem', cell: ({ health }) => (health === undefined ? null : <Health health={health} />) },
  {
    name: 'Events',
    width: 'minmax(0, 2fr)',
    cell: ({ event_types }) => <EventTypes patterns={event_types} shownMax={1} />,
  },
  {
    name: 'Waiting',
    width: '6rem',
    isNumber: true,
    cell: ({ health }) => (health === undefined ? null : health.waiting + health.held),
  },
  {
    name: 'Last success',
    width: '9rem',
    cell: ({ health }) => <Time at={health?.last_delivered_at ?? null} />,
  },
]
