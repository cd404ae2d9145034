import { eventTypes } from '../edges/event-types.ts'
import { permissionNames } from '../grammar/permission.ts'

/**
 * The values of named schemas whose values a verb checks, and not their contract: an unknown permission or event type
 * has its own problem, and the event types come from all contracts.
 */
const names = Object.keys(eventTypes).sort()

const prefixes = names.flatMap((name) => {
  const parts = name.split('.')
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`)
})

const values: Readonly<Record<string, readonly string[]>> = {
  EventType: names,
  EventTypePattern: [...names, ...new Set(prefixes)],
  PermissionName: permissionNames,
}

export function withCatalogues(schemas: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(schemas).map(([name, schema]) => {
    const listed = values[name]
    return [name, listed === undefined ? schema : { ...(schema as object), enum: listed }]
  })
  return Object.fromEntries(entries)
}
