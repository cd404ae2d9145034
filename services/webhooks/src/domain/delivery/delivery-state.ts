import type { DeliveryStatus } from '@payments/contracts/services/webhooks/delivery'

/**
 * The life of a delivery. A state is a status and, while the delivery waits, where it waits. The CHECK constraints
 * `deliveries_state` and `deliveries_dead_at` reject every combination of columns that `columns` does not list, and
 * store/delivery/delivery-state.ts and store/delivery/claim-from-backlogs.ts have the only statements that change a
 * state. The README of the service draws this table.
 */
export const deliveryChanges = [
  /** A worker claims the delivery for one attempt. */
  'claimed',
  /** The receiver accepted the attempt. */
  'accepted',
  /** The attempt failed and another one follows: the delivery is `scheduled`, with the status `retrying`. */
  'failed',
  /** The last attempt failed, or the receiver responded with 410. */
  'exhausted',
  /** The attempt was not made, for a local reason. It does not count. */
  'postponed',
  /** No permit of the destination was free, or the delivery is overdue: into the backlog. */
  'backlogged',
  /** As `backlogged`, while the subscription is disabled or the circuit breaker is open. */
  'suspended',
  /** A redrive, retry or recovery restarts the schedule. */
  'restarted',
  /** An operator, a tenant or the deletion of the subscription discards the delivery. */
  'discarded',
] as const
type DeliveryChange = (typeof deliveryChanges)[number]

/**
 * `scheduled`: waits for its time, with or without a message of a retry queue. `backlogged`: waits for its
 * destination.
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
export type DeliveryState = (typeof deliveryStates)[number]

/** The columns that each state implies. `published` may be true only while a delivery is scheduled. */
export const columns: Readonly<
  Record<
    DeliveryState,
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

type Row = Readonly<Partial<Record<DeliveryChange, DeliveryState>>>

/**
 * The outcome of an attempt counts also after its lease, in every state in which another attempt may follow. A held
 * delivery that failed stays held, in its backlog. In `discarded` the attempt is stored and the state stays.
 */
const recorded: Row = { accepted: 'delivered', failed: 'scheduled', exhausted: 'dead' }
const waiting: Row = { backlogged: 'backlogged', suspended: 'held', restarted: 'backlogged', discarded: 'discarded' }

/** state × change → next state. A missing entry changes nothing. */
export const transitions: Readonly<Record<DeliveryState, Row>> = {
  scheduled: { ...recorded, ...waiting, claimed: 'delivering' },
  backlogged: { ...recorded, ...waiting, claimed: 'delivering' },
  held: {
    ...recorded,
    failed: 'held',
    claimed: 'delivering',
    suspended: 'held',
    restarted: 'backlogged',
    discarded: 'discarded',
  },
  delivering: { ...recorded, ...waiting, postponed: 'scheduled', claimed: 'delivering' },
  delivered: { restarted: 'backlogged' },
  dead: { restarted: 'backlogged', discarded: 'discarded' },
  discarded: { restarted: 'backlogged' },
}

/** The state of a row. */
export function toDeliveryState(row: { readonly status: DeliveryStatus; readonly backlogged: boolean }): DeliveryState {
  if (row.status !== 'pending' && row.status !== 'retrying') return row.status
  return row.backlogged ? 'backlogged' : 'scheduled'
}
