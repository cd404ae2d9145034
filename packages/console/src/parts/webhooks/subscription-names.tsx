import type { ListedWebhookSubscription } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import type { SearchField } from '../../layout/search-form.tsx'
import { itemsMax, useItems } from '../../session/lists.ts'
import { foreign } from '../../text/foreign.ts'
import { formatCount } from '../../text/format.ts'

/** The newest `itemsMax` subscriptions of the tenant; older ones are shown by their ids. */
const useSubscriptions = () => useItems('listTenantSubscriptions', 'subscriptions')

const subscriptionName = ({ label, destination_url: url }: ListedWebhookSubscription): string => foreign(label ?? url)

/** A function that names a subscription by its id. */
export function useSubscriptionName(): (id: string) => string {
  const subscriptions = useSubscriptions()
  return (id) => {
    const found = subscriptions.find((subscription) => subscription.id === id)
    return found === undefined ? foreign(id) : subscriptionName(found)
  }
}

/** The subscription as a filter of a list. It has no control for a person who may not list subscriptions. */
export function useSubscriptionField(): SearchField {
  const name = 'subscription_id'
  const known = useSubscriptions().map((subscription) => ({
    value: subscription.id,
    label: subscriptionName(subscription),
  }))
  if (known.length === 0) return { name }
  const every =
    known.length < itemsMax ? 'Every endpoint' : `Every endpoint (the newest ${formatCount(itemsMax)} are listed)`
  return { name, label: 'Endpoint', options: [{ value: '', label: every }, ...known] }
}

/** A subscription by its label, as a link where its unit is known. */
export function SubscriptionLink({ id, unitId }: { id: string; unitId?: string }) {
  const found = useSubscriptions().find((subscription) => subscription.id === id)
  const unit = unitId ?? found?.business_unit_id
  if (unit === undefined) return <code>{foreign(id)}</code>
  return (
    <Link to="/subscriptions/$unitId/$subscriptionId" params={{ unitId: unit, subscriptionId: id }}>
      {found === undefined ? foreign(id) : subscriptionName(found)}
    </Link>
  )
}
