import type { WebhookSubscription } from '@payments/client/schemas'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../session/api.ts'

/** The state of a subscription with its reason, and how many deliveries wait. */
export const healthQuery = ({ id, business_unit_id }: WebhookSubscription) =>
  queryOptions({
    queryKey: ['subscriptions', business_unit_id, id, 'health'],
    queryFn: ({ signal }) => api.readSubscriptionHealth({ business_unit_id, bu_webhook_id: id }, { signal }),
  })
