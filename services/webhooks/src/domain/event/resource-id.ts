import { eventTypes } from '@payments/contracts/edges/event-types'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The fields of an object schema. Empty for another schema. */
const objectFields = (schema: unknown): Readonly<Record<string, unknown>> =>
  (schema as { readonly shape?: Readonly<Record<string, unknown>> }).shape ?? {}

/**
 * Where the payload of each event type has its resource: in the payload itself, or in its first field with an id. Of
 * the contract: JSON columns of outboxes change the order of the fields of a payload.
 */
const resourceFields = new Map(
  Object.entries(eventTypes).flatMap(([type, { payload }]): [string, string | null][] => {
    const fields = Object.entries(objectFields(payload))
    if (fields.some(([name]) => name === 'id')) return [[type, null]]
    const field = fields.find(([, schema]) => Object.hasOwn(objectFields(schema), 'id'))
    return field === undefined ? [] : [[type, field[0]]]
  }),
)

/** The resource that an event is about, such as a transaction. Null when the payload names none. */
export function findResourceId({ type, payload }: { readonly type: string; readonly payload: unknown }): string | null {
  const field = resourceFields.get(type)
  if (field === undefined) return null
  const resource = field === null ? payload : (payload as Readonly<Record<string, unknown>> | null)?.[field]
  const id = (resource as { readonly id?: unknown } | null | undefined)?.id
  return typeof id === 'string' && uuid.test(id) ? id.toLowerCase() : null
}
