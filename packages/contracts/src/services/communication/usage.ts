import { countedText, usageQuery, usageSchema } from '../../endpoints/hourly-counts.ts'
import type { Endpoint } from '../../grammar/contract.ts'

export const usageEndpoints = {
  readMessageUsage: {
    method: 'GET',
    path: '/v1/communication/usage',
    audience: 'tenant',
    permission: 'communication:ReadCommunication',
    summary: 'Count the messages of a month per business unit.',
    description: countedText,
    query: usageQuery,
    replies: { 200: usageSchema({ id: 'MessageUsage', noun: 'messages' }) },
  },
} as const satisfies Record<string, Endpoint>
