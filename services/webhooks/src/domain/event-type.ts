import type { EventMessage } from '@payments/contracts/event'
import { eventTypes } from '@payments/contracts/event-types'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { webhooks } from '@payments/contracts/webhooks'

/**
 * Everything a subscription may have written to receive `type`: its name, and each prefix that ends before a dot.
 * `a.b.c` → `a.b.c`, `a.*`, `a.b.*`. A subscription matches when it names one of these, or nothing at all.
 */
export function patternsOf(type: string): string[] {
  const parts = type.split('.')
  const prefixes = parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`)
  return [type, ...prefixes]
}

/** The positions in `chosen` of what fits no known type. */
export function unknownPositions(chosen: readonly string[], knownTypes: readonly string[]): number[] {
  const known = new Set(knownTypes.flatMap(patternsOf))
  return chosen.flatMap((pattern, index) => (known.has(pattern) ? [] : [index]))
}

/** The one subscription that an event is meant for; null where it is for whoever chose its type. Throws on a malformed test event. */
export function targetOf({ type, payload }: Pick<EventMessage, 'type' | 'payload'>): string | null {
  return type === 'webhooks.test' ? webhooks.events['webhooks.test'].payload.parse(payload).subscription_id : null
}

/** Throws invalid_request, listing the event types, for a filter by one there is none of. `at`: where the filter stands in the request. */
export function requireKnownType(type: string | undefined, at: string): void {
  if (type === undefined || Object.hasOwn(eventTypes, type)) return
  const detail = `must be one of ${Object.keys(eventTypes).sort().join(', ')}`
  throw new Problem(commonProblems.invalid_request, { errors: [{ pointer: `${at}/event_type`, detail }] })
}
