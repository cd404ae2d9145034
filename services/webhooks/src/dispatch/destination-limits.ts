import type { Pause } from '@payments/chassis/base/deadline'
import type { AttemptsInFlight } from '../domain/attempt/attempt-limits.ts'
import type { AttemptOutcome } from '../domain/attempt/outcome.ts'
import {
  type BreakerCount,
  type BreakerRules,
  countAttempt,
  nothingCounted,
  trips,
} from '../domain/subscription/breaker.ts'
import { ConcurrencyLimiter, type Permit } from './concurrency-limiter.ts'

/**
 * **What it does.** Holds the state of destinations in this process. All of it may be lost.
 *
 * **Participants.** `backlogged` has the destinations with a backlog (store/delivery/backlog.ts): their deliveries are
 * attempted first.
 *
 * **Guarantees.** The parts of all live dispatchers add up to the limit. A backlog is shared, so any dispatcher with
 * capacity takes from it.
 *
 * **Not guaranteed.** Each dispatcher has at least one permit, so more dispatchers than permits exceed a limit. For one
 * renewal after a dispatcher starts, and while attempts that began before it last, more attempts may be in flight.
 */
export interface Destination {
  readonly tenantId: string
  /** Identifies the destination: it is the URL of one subscription. */
  readonly subscriptionId: string
}

/** The permits of one attempt: of its destination, then of its tenant. */
export interface AttemptPermit {
  /** False when no permit became free in time. */
  acquire(): Promise<boolean>
  /** Returns the permits: the receiver has nothing more to do. */
  release(): void
}

export interface DestinationLimits {
  readonly breaker: BreakerRules
  /** Wakes the backlog dispatcher: there may be backlog and capacity for it. */
  readonly backlogSignal: Pause
  /** Starts a new delivery. False without capacity, or when older deliveries are in the backlog. */
  startNew(destination: Destination): boolean
  /**
   * Starts a delivery that a message brings, a probe, or a test event. False when its expected wait for a permit is too
   * long. The deliveries of `startBacklogged` count before its claim returns, and a claim may return fewer.
   */
  startDue(destination: Destination): boolean
  /** Starts up to `wanted` deliveries of the backlog. Returns how many. */
  startBacklogged(destination: Destination, wanted: number): number
  /** Ends started deliveries that do not run: they were not stored or claimed. */
  finish(destination: Destination, count: number): void
  /** Runs `work` on a started delivery, and ends it. */
  run(destination: Destination, work: (permit: AttemptPermit) => Promise<void>): Promise<void>
  /** The destination has a backlog. */
  markBacklogged(destination: Pick<Destination, 'subscriptionId'>): void
  /** The backlog is empty. */
  clearBacklogged(subscriptionId: string): void
  /** Counts the outcome of an attempt. True when the breaker trips, once. */
  countOutcome(destination: Destination, errorKind: AttemptOutcome['errorKind']): boolean
}

export interface DestinationLimitsOptions extends Pick<DestinationLimits, 'breaker' | 'backlogSignal'> {
  readonly inFlight: AttemptsInFlight
  readonly ownPart: (limit: number) => number
  /** A destination with a longer expected attempt is slow. Default: one second. */
  readonly slowMs?: number
}

/**
 * Up to this number of deliveries, slow destinations of the same tenant do not delay a destination. One that becomes
 * slow itself delays them once, for the time-out of an attempt.
 */
const lightMax = 2
const slowMsDefault = 1_000
/** Deliveries in this process per permit: attempted, or waiting for one of a fast receiver. */
const perDestinationPermit = 10
const perTenantPermit = 4
/** Capacity of another dispatcher may be free, and the rows of a marked backlog are committed by then. */
const backlogDelayMs = 250
/** Above this number, all counts are reset. */
const countsMax = 20_000

export function createDestinationLimits(options: DestinationLimitsOptions): DestinationLimits {
  const { breaker, backlogSignal, inFlight, ownPart, slowMs = slowMsDefault } = options
  const createLimiter = (limit: number, perPermit: number) =>
    new ConcurrencyLimiter({ permitsMax: () => ownPart(limit), inFlightMax: () => ownPart(limit) * perPermit })
  const destinations = createLimiter(inFlight.perDestinationMax, perDestinationPermit)
  const tenants = createLimiter(inFlight.perTenantMax, perTenantPermit)
  const backlogged = new Set<string>()
  const counts = new Map<string, BreakerCount>()

  const { lightLeft, isLight } = lightAttempts(destinations, slowMs)
  const capacity = (destination: Destination) => {
    const { tenantId, subscriptionId } = destination
    const light = Math.min(lightLeft(destination), tenants.capacity(tenantId))
    return Math.min(destinations.capacity(subscriptionId), Math.max(light, tenants.capacity(tenantId, false)))
  }

  const start = ({ tenantId, subscriptionId }: Destination, count: number) => {
    destinations.start(subscriptionId, count)
    tenants.start(tenantId, count)
    return count
  }
  const finish = ({ tenantId, subscriptionId }: Destination, count: number) => {
    destinations.finish(subscriptionId, count)
    tenants.finish(tenantId, count)
  }
  return {
    breaker,
    backlogSignal,
    startNew: (destination) =>
      !backlogged.has(destination.subscriptionId) && capacity(destination) >= 1 && start(destination, 1) === 1,
    startDue: (destination) =>
      destinations.canStart(destination.subscriptionId) &&
      tenants.canStart(destination.tenantId, lightLeft(destination) > 0) &&
      start(destination, 1) === 1,
    startBacklogged: (destination, wanted) => start(destination, Math.min(wanted, capacity(destination))),
    finish,
    markBacklogged: ({ subscriptionId }) => {
      backlogged.add(subscriptionId)
      backlogSignal.wakeWithin(backlogDelayMs)
    },
    clearBacklogged: (subscriptionId) => {
      backlogged.delete(subscriptionId)
    },
    run: async (destination, work) => {
      const { subscriptionId } = destination
      const permit = createPermit(destinations, tenants, destination, isLight)
      try {
        await work(permit)
      } finally {
        permit.release()
        finish(destination, 1)
        if (backlogged.has(subscriptionId) && capacity(destination) >= destinations.inFlightMax() / 2) {
          backlogSignal.wake()
        }
      }
    },
    countOutcome: ({ subscriptionId }, errorKind) => {
      if (counts.size >= countsMax) counts.clear()
      const count = countAttempt(counts.get(subscriptionId) ?? nothingCounted, errorKind, performance.now(), breaker)
      const tripped = errorKind !== null && trips(count, breaker)
      if (tripped) counts.delete(subscriptionId)
      else counts.set(subscriptionId, count)
      return tripped
    },
  }
}

function lightAttempts(destinations: ConcurrencyLimiter, slowMs: number) {
  const isSlow = (subscriptionId: string) => destinations.expectedMs(subscriptionId) > slowMs
  return {
    lightLeft: ({ subscriptionId }: Destination) =>
      isSlow(subscriptionId) ? 0 : lightMax - destinations.inProgress(subscriptionId),
    isLight: ({ subscriptionId }: Destination) =>
      destinations.inFlight(subscriptionId) <= lightMax && !isSlow(subscriptionId),
  }
}

/** The permit of the destination comes first: a wait for the permit of the tenant delays this tenant only. */
function createPermit(
  destinations: ConcurrencyLimiter,
  tenants: ConcurrencyLimiter,
  destination: Destination,
  isLight: (destination: Destination) => boolean,
): AttemptPermit {
  const { tenantId, subscriptionId } = destination
  let ofDestination: Permit | undefined
  let ofTenant: Permit | undefined
  const release = () => {
    if (ofDestination !== undefined) destinations.release(subscriptionId, ofDestination)
    if (ofTenant !== undefined) tenants.release(tenantId, ofTenant)
  }
  return {
    release,
    acquire: async () => {
      ofDestination = await destinations.acquire(subscriptionId)
      if (ofDestination === undefined) return false
      ofTenant = await tenants.acquire(tenantId, isLight(destination))
      if (ofTenant === undefined) release()
      return ofTenant !== undefined
    },
  }
}
