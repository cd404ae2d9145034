import type { DeliveryStatus } from '@payments/contracts/webhooks-delivery'

const sweepAfterMs = 3_600_000
const final: readonly DeliveryStatus[] = ['delivered', 'dead', 'discarded']

/** The columns of a delivery that a test puts in a state (src/domain/delivery-state.ts). A sweep is an hour away. */
export function columnsOf(status: DeliveryStatus) {
  const isHeld = status === 'held'
  const isFinal = final.includes(status)
  return {
    status,
    queued: false,
    backlogged: isHeld,
    sweepAt: isHeld || isFinal ? null : new Date(Date.now() + sweepAfterMs),
    deadAt: status === 'dead' ? new Date() : null,
    ...(isFinal ? { nextAttemptAt: null } : {}),
  }
}
