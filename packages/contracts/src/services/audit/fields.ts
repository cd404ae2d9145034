import { z } from 'zod'
import { commaList } from '../../grammar/field.ts'

/** success: 2xx, 3xx · denied: 401, 403, 429 · rejected: any other 4xx · error: 5xx. */
export const outcomes = ['success', 'denied', 'rejected', 'error'] as const
export type Outcome = (typeof outcomes)[number]

export function toOutcome(status: number): Outcome {
  if (status < 400) return 'success'
  if (status === 401 || status === 403 || status === 429) return 'denied'
  return status < 500 ? 'rejected' : 'error'
}

/** operator: a person who used payctl; the service that ran the operation records it. */
export const actorTypes = ['api_key', 'user', 'operator', 'anonymous'] as const

/** The program of a person: a browser with the console, or the command line of tenants. */
export const clientNames = ['console', 'cli'] as const

export const outcome = z.enum(outcomes).meta({ id: 'AuditOutcome' })
export const actorType = z.enum(actorTypes).meta({ id: 'ActorType' })
export const clientName = z.enum(clientNames).meta({ id: 'AuditClient' })

/** `none` selects requests without a client, such as requests with an API key. */
export const clientFilter = commaList([...clientNames, 'none'])
