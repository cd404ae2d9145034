import type { ListedWebhookSubscription } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SearchField } from '../../layout/search-form.tsx'
import { api } from '../../session/api.ts'
import { itemsMax, readItems } from '../../session/lists.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { count } from '../../text/format.ts'

const pageMax = 200

/**
 * The newest `itemsMax` subscriptions of the tenant by id; older ones are shown by their ids. Empty where the person
 * may not read them.
 */
function useSubscriptions(): ReadonlyMap<string, ListedWebhookSubscription> {
  const isPermitted = useDenial()('listTenantSubscriptions') === undefined
  const { data } = useQuery({
    queryKey: ['subscriptions', 'names'],
    queryFn: async ({ signal }) => {
      const subscriptions = await readItems(api.listTenantSubscriptions({ limit: pageMax }, { signal }))
      return new Map(subscriptions.map((subscription) => [subscription.id, subscription]))
    },
    enabled: isPermitted,
    staleTime: 30_000,
  })
  return data ?? noSubscriptions
}

const noSubscriptions: ReadonlyMap<string, ListedWebhookSubscription> = new Map()

/** Functions that name a subscription and find its unit, for ids that the API returns. */
export function useSubscriptionNames() {
  const subscriptions = useSubscriptions()
  return {
    nameOf: (id: string): string => {
      const found = subscriptions.get(id)
      return foreign(found?.label ?? found?.destination_url ?? id)
    },
    unitOf: (id: string): string | undefined => subscriptions.get(id)?.business_unit_id,
  }
}

/** The subscription as a filter of a list. It has no control for a person who may not list subscriptions. */
export function useSubscriptionField(): SearchField {
  const name = 'subscription_id'
  const known = [...useSubscriptions().values()].map((subscription) => ({
    value: subscription.id,
    label: foreign(subscription.label ?? subscription.destination_url),
  }))
  if (known.length === 0) return { name }
  const every = known.length < itemsMax ? 'Every endpoint' : `Every endpoint (the newest ${count(itemsMax)} are listed)`
  return { name, label: 'Endpoint', options: [{ value: '', label: every }, ...known] }
}

/** A subscription by its label, as a link where its unit is known. */
export function SubscriptionLink({ id, unitId }: { id: string; unitId?: string }) {
  const { nameOf, unitOf } = useSubscriptionNames()
  const unit = unitId ?? unitOf(id)
  if (unit === undefined) return <code>{foreign(id)}</code>
  return (
    <Link to="/subscriptions/$unitId/$subscriptionId" params={{ unitId: unit, subscriptionId: id }}>
      {nameOf(id)}
    </Link>
  )
}
