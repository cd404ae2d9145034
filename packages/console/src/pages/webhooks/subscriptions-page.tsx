import type { ListedWebhookSubscription } from '@payments/client/schemas'
import { Actions, offerDialog } from '../../layout/actions.tsx'
import { List } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { useUnitChoice, WithUnit } from '../../layout/unit.tsx'
import { SubscriptionPageLink } from '../../parts/links.tsx'
import { Health } from '../../parts/states.tsx'
import { EventTypes } from '../../parts/webhooks/names.tsx'
import { foreign } from '../../text/format.ts'
import { Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { SubscriptionDialog } from './subscription-dialog.tsx'

/** The webhook subscriptions of a business unit, each with its state. */
export function SubscriptionsPage() {
  const choice = useUnitChoice()
  const { unit: chosen } = choice
  return (
    <Page
      title="Subscriptions"
      about="Endpoints that receive your events."
      operation="listSubscriptions"
      args={{ business_unit_id: chosen?.id ?? 'BUSINESS_UNIT_ID', include: 'health' }}
      actions={
        <Actions
          actions={[
            offerDialog(
              'createSubscription',
              'Create subscription',
              (close) => (chosen === undefined ? null : <SubscriptionDialog unit={chosen} onClose={close} />),
              { kind: 'primary' },
            ),
          ]}
        />
      }
    >
      {() => (
        <WithUnit choice={choice}>
          {({ id }) => (
            <List
              label="Subscriptions"
              operation="listSubscriptions"
              topic="subscriptions"
              args={{ business_unit_id: id, include: 'health' }}
              columns={columns}
              empty={
                <Empty title="No endpoint receives events of this business unit.">
                  <p>Create a subscription, send a test event, and see here what your endpoint responds.</p>
                </Empty>
              }
            />
          )}
        </WithUnit>
      )}
    </Page>
  )
}

const columns: readonly Column<ListedWebhookSubscription>[] = [
  {
    name: 'Endpoint',
    width: 'minmax(0, 2fr)',
    cell: ({ id, business_unit_id, label, destination_url }) => (
      <>
        <SubscriptionPageLink unitId={business_unit_id} id={id}>
          {foreign(label ?? destination_url)}
        </SubscriptionPageLink>
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
  { name: 'Last success', width: '9rem', cell: ({ health }) => <Time at={health?.last_delivered_at ?? null} /> },
]
