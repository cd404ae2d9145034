import type { DeliveryStatus } from '@payments/contracts/services/webhooks/delivery'

/**
 * The states of a delivery: a status and, while the delivery waits, where it waits. `scheduled`: for its time, with or
 * without a message of a retry queue. `backlogged`: for its destination. The README of the service draws the changes
 * between them.
 */
export const deliveryStates = [
  'scheduled',
  'backlogged',
  'held',
  'delivering',
  'delivered',
  'dead',
  'discarded',
] as const

/**
 * The columns that each state implies: the CHECK constraint `deliveries_state` rejects every other combination.
 * `published` may be true only while a delivery is scheduled.
 */
export const columns: Readonly<
  Record<
    (typeof deliveryStates)[number],
    { readonly statuses: readonly DeliveryStatus[]; readonly backlogged: boolean; readonly sweepAt: boolean }
  >
> = {
  scheduled: { statuses: ['pending', 'retrying'], backlogged: false, sweepAt: true },
  backlogged: { statuses: ['pending', 'retrying'], backlogged: true, sweepAt: false },
  held: { statuses: ['held'], backlogged: true, sweepAt: false },
  delivering: { statuses: ['delivering'], backlogged: false, sweepAt: true },
  delivered: { statuses: ['delivered'], backlogged: false, sweepAt: false },
  dead: { statuses: ['dead'], backlogged: false, sweepAt: false },
  discarded: { statuses: ['discarded'], backlogged: false, sweepAt: false },
}
