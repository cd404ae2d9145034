import { type BreakerCount, type BreakerRules, counted, nothingCounted, trips } from '../domain/breaker.ts'
import type { Outcome } from '../domain/outcome.ts'
import { type Slot, Slots } from './slots.ts'

/**
 * What this process knows of the receivers: how many attempts are in work for each subscription and each tenant (slots.ts), which
 * subscriptions have a line (store/line.ts), how their last attempts went (domain/breaker.ts). All of it may be forgotten: it
 * decides how fast and in what turn deliveries are made, never whether.
 */
export interface Receiver {
  readonly tenantId: string
  readonly subscriptionId: string
}

/** A message's way through the process: let in, then a slot of its subscription and one of its tenant. */
export interface Place {
  /** False when there was no slot in time. */
  enter(): Promise<boolean>
  /** Gives the slots back: the receiver has nothing more to do. */
  leave(): void
}

export interface Traffic {
  readonly breaker: BreakerRules
  /** Whether a message may be sent for it; then it counts as sent. Not while others stand in its line, whose turn is first. */
  reserve(receiver: Receiver): boolean
  /** How many messages, up to `wanted`, may be sent from its line; they count as sent. */
  reserveFromLine(receiver: Receiver, wanted: number): number
  /** What was reserved is not sent. */
  release(receiver: Receiver, count: number): void
  /** A message has come: works on it, or refuses it, because it would have to wait too long for a slot. */
  run(receiver: Receiver, work: (place: Place) => Promise<void>, refused: () => Promise<void>): Promise<void>
  /** There are deliveries in its line. */
  lined(receiver: Pick<Receiver, 'subscriptionId'>): unknown
  /** Its line has ended. */
  unlined(subscriptionId: string): unknown
  /** How an attempt went. True when it makes the breaker trip: that is told once. */
  judge(receiver: Receiver, errorKind: Outcome['errorKind']): boolean
  /** Resolves when lines should be looked at: there is something to take and room for it, or `waitMs` have passed. */
  readonly feeding: { wait(waitMs: number): Promise<void>; wake(): void }
}

export interface TrafficOptions {
  readonly breaker: BreakerRules
  readonly feeding: Traffic['feeding']
}

const perSubscription = { slotsMax: 10, windowMax: 100 }
const perTenant = { slotsMax: 50, windowMax: 200 }
/** Beyond this many, all counts begin anew. */
const countsMax = 20_000

export function createTraffic({ breaker, feeding }: TrafficOptions): Traffic {
  const subscriptions = new Slots(perSubscription)
  const tenants = new Slots(perTenant)
  const lines = new Set<string>()
  const counts = new Map<string, BreakerCount>()

  const room = ({ tenantId, subscriptionId }: Receiver) =>
    Math.min(subscriptions.room(subscriptionId), tenants.room(tenantId))

  const sent = ({ tenantId, subscriptionId }: Receiver, count: number) => {
    subscriptions.sent(subscriptionId, count)
    tenants.sent(tenantId, count)
    return count
  }

  return {
    breaker,
    feeding,
    reserve: (receiver) => !lines.has(receiver.subscriptionId) && room(receiver) >= 1 && sent(receiver, 1) === 1,
    reserveFromLine: (receiver, wanted) => sent(receiver, Math.min(wanted, room(receiver))),
    release: ({ tenantId, subscriptionId }, count) => {
      subscriptions.unsent(subscriptionId, count)
      tenants.unsent(tenantId, count)
    },
    lined: ({ subscriptionId }) => lines.add(subscriptionId),
    unlined: (subscriptionId) => lines.delete(subscriptionId),
    run: async (receiver, work, refused) => {
      const { tenantId, subscriptionId } = receiver
      subscriptions.came(subscriptionId)
      tenants.came(tenantId)
      if (!subscriptions.letsIn(subscriptionId) || !tenants.letsIn(tenantId)) return refused()
      subscriptions.in(subscriptionId)
      tenants.in(tenantId)
      const place = placeOf(subscriptions, tenants, receiver)
      try {
        await work(place)
      } finally {
        place.leave()
        subscriptions.out(subscriptionId)
        tenants.out(tenantId)
        if (lines.has(subscriptionId) && room(receiver) >= perSubscription.windowMax / 2) feeding.wake()
      }
    },
    judge: ({ subscriptionId }, errorKind) => {
      if (counts.size >= countsMax) counts.clear()
      const count = counted(counts.get(subscriptionId) ?? nothingCounted, errorKind, performance.now(), breaker)
      const tripped = errorKind !== null && trips(count, breaker)
      if (tripped) counts.delete(subscriptionId)
      else counts.set(subscriptionId, count)
      return tripped
    },
  }
}

/** The slot of the subscription comes first: who waits for the tenant's stands in the way of the same tenant only. */
function placeOf(subscriptions: Slots, tenants: Slots, { tenantId, subscriptionId }: Receiver): Place {
  let slot: Slot | undefined
  let tenantSlot: Slot | undefined
  const leave = () => {
    if (slot !== undefined) subscriptions.leave(subscriptionId, slot)
    if (tenantSlot !== undefined) tenants.leave(tenantId, tenantSlot)
  }
  return {
    leave,
    enter: async () => {
      slot = await subscriptions.enter(subscriptionId)
      if (slot === undefined) return false
      tenantSlot = await tenants.enter(tenantId)
      if (tenantSlot === undefined) leave()
      return tenantSlot !== undefined
    },
  }
}
