import type { EventExplanation } from '@payments/client/schemas'
import { DeliveryLink } from '../../parts/links.tsx'
import { DeliveryState } from '../../parts/states.tsx'
import { SubscriptionLink } from '../../parts/webhooks/names.tsx'
import { readable } from '../../text/format.ts'
import { Section } from '../../ui/section.tsx'
import { type Column, Table } from '../../ui/table.tsx'

type Outcome = EventExplanation['subscriptions'][number]

interface OutcomesProps {
  readonly outcomes: readonly Outcome[]
  readonly unitId: string
}

/** The outcome of an event for each subscription of a business unit. */
export function Outcomes({ outcomes, unitId }: OutcomesProps) {
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
