import type { Edge } from './calls.ts'
import { contracts } from './contracts.ts'
import { eventPatterns } from './event-patterns.ts'

/** The event types of the contract of each service, internal ones included. */
export const eventTypesByService: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  contracts.map(({ service, events, internalEvents }) => [
    service,
    new Set([...Object.keys(events), ...Object.keys(internalEvents ?? {})]),
  ]),
)

/** Each pair of a service that emits an event (`issuer`) and a service that consumes it (`audience`). */
export const eventEdges: readonly Edge[] = [...eventTypesByService].flatMap(([issuer, types]) =>
  Object.entries(eventPatterns)
    .filter(([, patterns]) => patterns.some((pattern) => [...types].some((type) => matches(pattern, type))))
    .map(([audience]) => ({ issuer, audience })),
)

/** Whether the contract of the producer has the event type. */
export function mayEmit(producer: string, type: string): boolean {
  return eventTypesByService.get(producer)?.has(type) === true
}

/** As a topic exchange matches a routing key with a binding. */
export function matches(pattern: string, type: string): boolean {
  const words = pattern.split('.').map((word) => (word === '#' ? '.*' : word === '*' ? '[^.]+' : word))
  return new RegExp(`^${words.join('\\.').replaceAll('\\..*', '(\\..*)?')}$`).test(type)
}
