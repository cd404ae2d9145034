import type { EventExplanation } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { type Column, Table } from '../../ui/table.tsx'
import { DeliveryState } from '../deliveries/delivery-state.tsx'
import { readable } from '../deliveries/reason.ts'
import { SubscriptionLink } from '../names/subscription-names.tsx'

type Outcome = EventExplanation['subscriptions'][number]

interface OutcomesProps {
  readonly outcomes: readonly Outcome[]
  readonly unitId: string
}

/** The outcome of an event for each subscription of a business unit. */
export function Outcomes({ outcomes, unitId }: OutcomesProps) {
  return (
    <section className="stack" aria-labelledby="subscriptions">
      <h2 id="subscriptions">Subscriptions</h2>
      {outcomes.length === 0 ? (
        <p className="muted">The business unit has no subscription.</p>
      ) : (
        <Table
          label="Outcomes"
          columns={columnsOf(unitId)}
          rows={outcomes}
          idOf={({ subscription_id }) => subscription_id}
        />
      )}
    </section>
  )
}

const columnsOf = (unitId: string): readonly Column<Outcome>[] => [
  { name: 'Subscription', cell: ({ subscription_id }) => <SubscriptionLink id={subscription_id} unitId={unitId} /> },
  { name: 'Outcome', width: '8rem', cell: ({ outcome }) => <DeliveryState status={outcome.replace('_', ' ')} /> },
  { name: 'Reason', width: 'minmax(0, 2fr)', cell: ({ reason }) => readable(reason) },
  {
    name: 'Delivery',
    width: '6rem',
    cell: ({ delivery_id: deliveryId }) =>
      deliveryId === null ? (
        <span className="muted">none</span>
      ) : (
        <Link to="/deliveries/$unitId/$deliveryId" params={{ unitId, deliveryId }}>
          Open
        </Link>
      ),
  },
]
