import { type BreakerCount, type BreakerRules, counted, nothingCounted, trips } from '../domain/breaker.ts'
import type { AttemptOutcome } from '../domain/outcome.ts'
import { ConcurrencyLimiter, type Permit } from './concurrency-limiter.ts'

/**
 * What it does: holds the state of destinations in this process. The state decides how fast and in which order
 * deliveries are attempted, never whether; all of it may be lost.
 *
 * Participants: concurrency-limiter.ts counts the attempts in flight per subscription and per tenant. `backlogged` has
 * the subscriptions with a backlog (store/backlog.ts): their deliveries are attempted first. domain/breaker.ts counts
 * the outcomes.
 */
export interface Destination {
  readonly tenantId: string
  readonly subscriptionId: string
}

/** The permits of one attempt: of its subscription, then of its tenant. */
export interface AttemptPermit {
  /** False when no permit became free in time. */
  acquire(): Promise<boolean>
  /** Returns the permits: the receiver has nothing more to do. */
  release(): void
}

/** Wakes the backlog dispatcher. */
export interface BacklogSignal {
  /** Resolves when there is backlog and capacity for it, or after `waitMs`. */
  wait(waitMs: number): Promise<void>
  wake(): void
}

export interface DestinationLimits {
  readonly breaker: BreakerRules
  readonly backlogSignal: BacklogSignal
  /** Reserves one delivery. False without capacity, or when older deliveries are in the backlog. */
  reserve(destination: Destination): boolean
  /** Reserves up to `wanted` deliveries of the backlog. Returns how many. */
  reserveForBacklog(destination: Destination, wanted: number): number
  /** Returns reservations that are not used. */
  unreserve(destination: Destination, count: number): void
  /** Runs `work` on an arrived delivery, or `rejected` when its expected wait for a permit is too long. */
  run(
    destination: Destination,
    work: (permit: AttemptPermit) => Promise<void>,
    rejected: () => Promise<void>,
  ): Promise<void>
  /** The destination has a backlog. */
  markBacklogged(destination: Pick<Destination, 'subscriptionId'>): void
  /** The backlog is empty. */
  clearBacklogged(subscriptionId: string): void
  /** Counts the outcome of an attempt. True when the breaker trips, once. */
  recordOutcome(destination: Destination, errorKind: AttemptOutcome['errorKind']): boolean
}

export type DestinationLimitsOptions = Pick<DestinationLimits, 'breaker' | 'backlogSignal'>

const perSubscription = { permitsMax: 10, inFlightMax: 100 }
const perTenant = { permitsMax: 50, inFlightMax: 200 }
/** Above this number, all counts are reset. */
const countsMax = 20_000

export function createDestinationLimits({ breaker, backlogSignal }: DestinationLimitsOptions): DestinationLimits {
  const subscriptions = new ConcurrencyLimiter(perSubscription)
  const tenants = new ConcurrencyLimiter(perTenant)
  const backlogged = new Set<string>()
  const counts = new Map<string, BreakerCount>()

  const capacity = ({ tenantId, subscriptionId }: Destination) =>
    Math.min(subscriptions.capacity(subscriptionId), tenants.capacity(tenantId))

  const reserve = ({ tenantId, subscriptionId }: Destination, count: number) => {
    subscriptions.reserve(subscriptionId, count)
    tenants.reserve(tenantId, count)
    return count
  }

  const unreserve = ({ tenantId, subscriptionId }: Destination, count: number) => {
    subscriptions.unreserve(subscriptionId, count)
    tenants.unreserve(tenantId, count)
  }

  return {
    breaker,
    backlogSignal,
    reserve: (destination) =>
      !backlogged.has(destination.subscriptionId) && capacity(destination) >= 1 && reserve(destination, 1) === 1,
    reserveForBacklog: (destination, wanted) => reserve(destination, Math.min(wanted, capacity(destination))),
    unreserve,
    markBacklogged: ({ subscriptionId }) => {
      backlogged.add(subscriptionId)
    },
    clearBacklogged: (subscriptionId) => {
      backlogged.delete(subscriptionId)
    },
    run: async (destination, work, rejected) => {
      const { tenantId, subscriptionId } = destination
      unreserve(destination, 1)
      if (!subscriptions.tryAdmit(subscriptionId) || !tenants.tryAdmit(tenantId)) return rejected()
      subscriptions.admit(subscriptionId)
      tenants.admit(tenantId)
      const permit = permitOf(subscriptions, tenants, destination)
      try {
        await work(permit)
      } finally {
        permit.release()
        subscriptions.finish(subscriptionId)
        tenants.finish(tenantId)
        if (backlogged.has(subscriptionId) && capacity(destination) >= perSubscription.inFlightMax / 2) {
          backlogSignal.wake()
        }
      }
    },
    recordOutcome: ({ subscriptionId }, errorKind) => {
      if (counts.size >= countsMax) counts.clear()
      const count = counted(counts.get(subscriptionId) ?? nothingCounted, errorKind, performance.now(), breaker)
      const tripped = errorKind !== null && trips(count, breaker)
      if (tripped) counts.delete(subscriptionId)
      else counts.set(subscriptionId, count)
      return tripped
    },
  }
}

/** The permit of the subscription comes first: a wait for that of the tenant delays the same tenant only. */
function permitOf(
  subscriptions: ConcurrencyLimiter,
  tenants: ConcurrencyLimiter,
  { tenantId, subscriptionId }: Destination,
): AttemptPermit {
  let ofSubscription: Permit | undefined
  let ofTenant: Permit | undefined
  const release = () => {
    if (ofSubscription !== undefined) subscriptions.release(subscriptionId, ofSubscription)
    if (ofTenant !== undefined) tenants.release(tenantId, ofTenant)
  }
  return {
    release,
    acquire: async () => {
      ofSubscription = await subscriptions.acquire(subscriptionId)
      if (ofSubscription === undefined) return false
      ofTenant = await tenants.acquire(tenantId)
      if (ofTenant === undefined) release()
      return ofTenant !== undefined
    },
  }
}
