import { eventTypes } from '@payments/contracts/event-types'
import { z } from 'zod'

const data = Object.entries(eventTypes)
  .map(([name, { description, payload }]) => ({
    name,
    description,
    payload_schema: z.toJSONSchema(payload, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
  }))
  .sort((a, b) => (a.name < b.name ? -1 : 1))

/** The whole catalogue, one page. */
export async function listEventTypes() {
  return { data, next_cursor: null }
}
