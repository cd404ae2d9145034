import type { ListedWebhookSubscription } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SearchField } from '../../layout/search-form.tsx'
import { useUnits } from '../../layout/unit.tsx'
import { api } from '../../session/api.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'

/** Subscriptions of further business units are shown by their ids. A unit has at most 100 of them. */
const unitsMax = 10
const perUnitMax = 100

/** The subscriptions of the first units of the tenant, by id. Empty where the person may not read them. */
function useSubscriptions(): ReadonlyMap<string, ListedWebhookSubscription> {
  const isPermitted = useDenial()('listSubscriptions') === undefined
  const { data } = useUnits()
  const units = isPermitted ? (data?.data.slice(0, unitsMax) ?? []) : []
  const { data: subscriptions } = useQuery({
    queryKey: ['subscriptions', 'names', units.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const read = ({ id }: { id: string }) =>
        api.listSubscriptions({ business_unit_id: id, limit: perUnitMax }, { signal }).page()
      const pages = await Promise.all(units.map(read))
      return new Map(pages.flatMap((page) => page.data).map((subscription) => [subscription.id, subscription]))
    },
    enabled: units.length > 0,
    staleTime: 30_000,
  })
  return subscriptions ?? noSubscriptions
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
  return { name, label: 'Endpoint', options: [{ value: '', label: 'Every endpoint' }, ...known] }
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
