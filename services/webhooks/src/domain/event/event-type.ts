import { contracts } from '@payments/contracts/edges/contracts'
import { eventTypes } from '@payments/contracts/edges/event-types'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { webhooks } from '@payments/contracts/services/webhooks/contract'

/**
 * The entries of `event_types` that match `type`: its name, and each prefix that ends before a dot. Example: `a.b.c` →
 * `a.b.c`, `a.*`, `a.b.*`. A subscription without entries matches every type.
 */
export function listPatterns(type: string): string[] {
  const parts = type.split('.')
  const prefixes = parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.*`)
  return [type, ...prefixes]
}

const internalTypes = new Set(contracts.flatMap(({ internalEvents }) => Object.keys(internalEvents ?? {})))

/** Whether an event is between services: it is neither stored nor delivered. */
export const isInternal = (type: string): boolean => internalTypes.has(type)

/** Positions of the entries that match no known type. */
export function unknownPositions(patterns: readonly string[], knownTypes: readonly string[]): number[] {
  const known = new Set(knownTypes.flatMap(listPatterns))
  return patterns.flatMap((pattern, index) => (known.has(pattern) ? [] : [index]))
}

export const testEventType = 'webhooks.test' satisfies keyof typeof webhooks.events

/** The only subscription of a test event; null for all other events. Throws invalid_request for another payload. */
export function findTestedSubscription({ type, payload }: Pick<EventMessage, 'type' | 'payload'>): string | null {
  if (type !== testEventType) return null
  const { data, error } = webhooks.events[testEventType].payload.safeParse(payload)
  if (data !== undefined) return data.subscription_id
  throw new Problem(commonProblems.invalid_request, { detail: 'The test event has another payload', cause: error })
}

/**
 * Rejects a filter with an unknown event type. `at`: JSON pointer of the filter. Throws invalid_request with the
 * known types.
 */
export function requireKnownType(type: string | undefined, at: string): void {
  if (type === undefined || Object.hasOwn(eventTypes, type)) return
  const detail = `must be one of ${Object.keys(eventTypes).sort().join(', ')}`
  throw new Problem(commonProblems.invalid_request, { errors: [{ pointer: `${at}/event_type`, detail }] })
}
