import { eventTypes } from '@payments/contracts/edges/event-types'
import { toInputSchema } from '@payments/contracts/grammar/json-schema'
import { type PageQuery, pageByName } from '@payments/contracts/grammar/page'

const catalogue = Object.entries(eventTypes).map(([name, { description, payload, example = null }]) => ({
  name,
  description,
  payload_schema: toInputSchema(payload) as Record<string, unknown>,
  example,
}))

/** The catalogue of event types, ordered by name. */
export async function listEventTypes(query: PageQuery) {
  return pageByName(catalogue, ({ name }) => name, query)
}
