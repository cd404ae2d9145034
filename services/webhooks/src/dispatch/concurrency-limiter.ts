import { expectedWaitMsMax, permitWaitMsMax } from '../domain/attempt/attempt-limits.ts'

/**
 * **What it does.** Grants at most `permitsMax` permits at a time per name, a destination or a tenant, first come,
 * first served.
 *
 * **Participants.** `canStart` says whether one more delivery would wait less than `expectedWaitMsMax`, by the duration
 * of attempts; `capacity` is how many more, up to `inFlightMax`. `start` counts deliveries, `finish` ends the count. A
 * fifth of each is for callers with `isLight`: few deliveries, not slow.
 *
 * **Guarantees.** Never more than `permitsMax` attempts per name in this process. After a change, permits above the
 * maximum are not granted again.
 *
 * **Not guaranteed.** Limits across processes (destination-limits.ts). A destination that starts to hang delays others
 * once, for `waitMsMax`.
 */
export interface ConcurrencyLimits {
  readonly permitsMax: () => number
  readonly inFlightMax: () => number
  readonly expectedWaitMsMax?: number
  readonly waitMsMax?: number
}

export interface Permit {
  readonly startedAt: number
}

interface Waiter {
  readonly isLight: boolean
  readonly resolve: (permit: Permit) => void
}

interface Name {
  /** Oldest first. */
  readonly granted: Set<Permit>
  readonly waiting: Set<Waiter>
  /** Started and not finished. */
  inProgress: number
  typicalMs: number
}

const presumedMs = 25
/** Above this number, idle names are removed. */
const namesMax = 20_000

/** Not fair-permits.ts of the chassis: the expected wait decides, and the backlog has what finds no permit. */
export class ConcurrencyLimiter {
  readonly #limits: Required<ConcurrencyLimits>
  readonly #names = new Map<string, Name>()

  constructor(limits: ConcurrencyLimits) {
    this.#limits = { expectedWaitMsMax, waitMsMax: permitWaitMsMax, ...limits }
  }

  size(): number {
    return this.#names.size
  }

  inFlightMax(): number {
    return this.#limits.inFlightMax()
  }

  /** Started and not finished. */
  inProgress(name: string): number {
    return this.#names.get(name)?.inProgress ?? 0
  }

  /** Attempts in flight. */
  inFlight(name: string): number {
    return this.#names.get(name)?.granted.size ?? 0
  }

  /** The expected duration of an attempt in milliseconds, by those before and those in flight. */
  expectedMs(name: string): number {
    const known = this.#names.get(name)
    return known === undefined ? presumedMs : expectedMs(known)
  }

  capacity(name: string, isLight = true): number {
    const known = this.#names.get(name)
    const inFlightMax = usableShare(this.#limits.inFlightMax(), isLight)
    if (known === undefined) return inFlightMax
    return Math.max(0, Math.min(inFlightMax, this.#inProgressMax(known, isLight)) - known.inProgress)
  }

  /** Whether one more delivery may start. Starts nothing. */
  canStart(name: string, isLight = true): boolean {
    const known = this.#find(name)
    return known.inProgress + 1 <= this.#inProgressMax(known, isLight)
  }

  start(name: string, count: number): void {
    this.#find(name).inProgress += count
  }

  finish(name: string, count: number): void {
    this.#find(name).inProgress -= count
  }

  /** A permit, or undefined when none became free within `waitMsMax`. */
  acquire(name: string, isLight = true): Promise<Permit | undefined> {
    const known = this.#find(name)
    if (known.granted.size < usableShare(this.#limits.permitsMax(), isLight)) return Promise.resolve(grant(known))
    return waitForPermit(known, isLight, this.#limits.waitMsMax)
  }

  release(name: string, permit: Permit): void {
    const known = this.#find(name)
    if (!known.granted.delete(permit)) return
    known.typicalMs = 0.8 * known.typicalMs + 0.2 * (performance.now() - permit.startedAt)
    // Granted synchronously: otherwise another caller finds the permit free before the waiting one wakes.
    for (const { isLight, resolve } of known.waiting) {
      const permitsMax = this.#limits.permitsMax()
      if (known.granted.size >= permitsMax) return
      if (known.granted.size < usableShare(permitsMax, isLight)) resolve(grant(known))
    }
  }

  #inProgressMax(known: Name, isLight: boolean): number {
    const { expectedWaitMsMax } = this.#limits
    const permitsMax = this.#limits.permitsMax()
    const max = permitsMax + Math.floor((permitsMax * expectedWaitMsMax) / Math.max(1, expectedMs(known)))
    return usableShare(max, isLight)
  }

  #find(name: string): Name {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size >= namesMax) this.#removeIdle()
    const created: Name = { granted: new Set(), waiting: new Set(), inProgress: 0, typicalMs: presumedMs }
    this.#names.set(name, created)
    return created
  }

  #removeIdle(): void {
    for (const [name, { granted, inProgress }] of this.#names) {
      if (granted.size === 0 && inProgress === 0) this.#names.delete(name)
    }
  }
}

/** At least one, for a name with few permits. */
const usableShare = (max: number, isLight: boolean) => (isLight ? max : Math.max(1, Math.ceil(max * 0.8)))

function waitForPermit(known: Name, isLight: boolean, waitMsMax: number): Promise<Permit | undefined> {
  return new Promise((resolve) => {
    const end = (permit?: Permit) => {
      clearTimeout(timer)
      known.waiting.delete(waiter)
      resolve(permit)
    }
    const waiter = { isLight, resolve: end }
    const timer = setTimeout(end, waitMsMax)
    known.waiting.add(waiter)
  })
}

function grant(known: Name): Permit {
  const permit = { startedAt: performance.now() }
  known.granted.add(permit)
  return permit
}

/** The expected duration of an attempt. */
function expectedMs({ granted, typicalMs }: Name): number {
  const [oldest] = granted
  return Math.max(typicalMs, oldest === undefined ? 0 : performance.now() - oldest.startedAt)
}
