import {
  countedText,
  statisticsQuery,
  statisticsSchema,
  usageQuery,
  usageSchema,
} from '../../endpoints/hourly-counts.ts'
import type { Endpoint } from '../../grammar/contract.ts'
import { deliveryStatuses } from './delivery.ts'

export const statisticsEndpoints = {
  readDeliveryStatistics: {
    method: 'GET',
    path: '/v1/webhooks/statistics',
    audience: 'tenant',
    permission: 'webhook:ReadDelivery',
    summary: 'Count the deliveries of the tenant by hour or day and status.',
    description: countedText,
    query: statisticsQuery,
    replies: { 200: statisticsSchema(deliveryStatuses, { id: 'DeliveryStatistics', noun: 'deliveries' }) },
  },
  readDeliveryUsage: {
    method: 'GET',
    path: '/v1/webhooks/usage',
    audience: 'tenant',
    permission: 'webhook:ReadDelivery',
    summary: 'Count the deliveries of a month per business unit.',
    description: countedText,
    query: usageQuery,
    replies: { 200: usageSchema({ id: 'DeliveryUsage', noun: 'deliveries' }) },
  },
} as const satisfies Record<string, Endpoint>
