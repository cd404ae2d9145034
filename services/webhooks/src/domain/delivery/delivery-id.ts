import { hash } from 'node:crypto'

const instantMsMax = 2 ** 48 - 1

/**
 * The id of the delivery of an event to a subscription. The id is a function of both, so the primary key prevents a
 * second delivery when an event is published again. It has the form of a UUID v7: 48 bits of the instant of the event
 * in milliseconds, which order and partition deliveries, then bits of SHA-256 over both ids.
 */
export function deriveDeliveryId(
  event: { readonly id: string; readonly occurredAt: Date },
  subscriptionId: string,
): string {
  const instantMs = Math.min(Math.max(event.occurredAt.getTime(), 0), instantMsMax)
  const digest = hash('sha256', `${event.id}/${subscriptionId}`.toLowerCase(), 'hex')
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 0b0011) | 0b1000).toString(16)
  const hex = instantMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`
}

/** The first and the last id of deliveries whose events happened from `since` to `until`, both included. */
export function idsOfInstants(since: Date, until: Date): { from: string; to: string } {
  const bound = (instant: Date, rest: string) => {
    const hex = instant.getTime().toString(16).padStart(12, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-${rest}`
  }
  return { from: bound(since, '0000-0000-000000000000'), to: bound(until, 'ffff-ffff-ffffffffffff') }
}
