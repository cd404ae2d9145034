import { hash } from 'node:crypto'

const instantMsMax = 2 ** 48 - 1

/**
 * The id of the delivery of an event to a subscription: always the same, so that an event that comes again finds its delivery
 * made, and the primary key alone says so. Shaped like UUID v7: 48 bits of the instant of the event in milliseconds, by which
 * deliveries are ordered and partitioned; the rest is of SHA-256 over both ids.
 */
export function deliveryIdOf(
  event: { readonly id: string; readonly occurredAt: Date },
  subscriptionId: string,
): string {
  const instantMs = Math.min(Math.max(event.occurredAt.getTime(), 0), instantMsMax)
  const digest = hash('sha256', `${event.id}/${subscriptionId}`.toLowerCase(), 'hex')
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 0b0011) | 0b1000).toString(16)
  const hex = instantMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`
}
