import {
  countedText,
  statisticsQuery,
  statisticsSchema,
  usageQuery,
  usageSchema,
} from '../../endpoints/hourly-counts.ts'
import type { Endpoint } from '../../grammar/contract.ts'
import { status } from '../../nouns/transaction.ts'

export const statisticsEndpoints = {
  readPaymentStatistics: {
    method: 'GET',
    path: '/v1/payment-proxy/statistics',
    audience: 'tenant',
    permission: 'transaction:ReadTransaction',
    summary: 'Count the transactions of the tenant by hour or day and status.',
    description: countedText,
    query: statisticsQuery,
    replies: { 200: statisticsSchema(status.options, { id: 'PaymentStatistics', noun: 'transactions' }) },
  },
  readPaymentUsage: {
    method: 'GET',
    path: '/v1/payment-proxy/usage',
    audience: 'tenant',
    permission: 'transaction:ReadTransaction',
    summary: 'Count the transactions of a month per business unit.',
    description: countedText,
    query: usageQuery,
    replies: { 200: usageSchema({ id: 'PaymentUsage', noun: 'transactions' }) },
  },
} as const satisfies Record<string, Endpoint>
