import { useQuery } from '@tanstack/react-query'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'

/** A business unit has at most 100 subscriptions. */
const subscriptionsMax = 100

/** Names a subscription of a business unit by its id; undefined for a deleted one, and without the permission. */
export function useReceiverName(unitId: string): (subscriptionId: string) => string | undefined {
  const { data } = useQuery({
    queryKey: ['subscriptions', unitId, 'names'],
    queryFn: ({ signal }) =>
      api.listSubscriptions({ business_unit_id: unitId, limit: subscriptionsMax }, { signal }).page(),
    enabled: usePermitted('listSubscriptions'),
    staleTime: 30_000,
  })
  return (subscriptionId) => {
    const found = data?.data.find(({ id }) => id === subscriptionId)
    return found === undefined ? undefined : foreign(found.label ?? found.destination_url)
  }
}
