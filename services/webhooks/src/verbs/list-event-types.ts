import { eventTypes } from '@payments/contracts/event-types'
import { type PageQuery, pageByName } from '@payments/contracts/page'
import { z } from 'zod'

const catalogue = Object.entries(eventTypes).map(([name, { description, payload }]) => ({
  name,
  description,
  payload_schema: z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
}))

/** The catalogue of event types, ordered by name. */
export async function listEventTypes(query: PageQuery) {
  return pageByName(catalogue, ({ name }) => name, query)
}
