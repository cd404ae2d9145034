import { admittedWaitMsMax, permitWaitMsMax } from '../domain/lease.ts'

/**
 * **What it does.** Grants at most `permitsMax` permits at a time per name, a destination or a tenant, first come,
 * first served.
 *
 * **Participants.** `canAdmit` says whether one more delivery would wait less than `admittedWaitMsMax`; `admit` counts
 * it. The expected wait follows from the duration of attempts, those in flight included; `presumedMs` is that of an
 * unknown name. `capacity` is how many more may be reserved, up to `inFlightMax`; a reservation lasts until its
 * delivery arrives, at most `reservationMs`.
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
  readonly admittedWaitMsMax?: number
  readonly waitMsMax?: number
  readonly reservationMs?: number
}

export interface Permit {
  readonly startedAt: number
}

interface Name {
  /** Oldest first. */
  readonly granted: Set<Permit>
  readonly waiting: Set<(permit: Permit) => void>
  /** Admitted and not finished. */
  admitted: number
  /** Reserved and not arrived. */
  reserved: number
  reservedAt: number
  typicalMs: number
}

const presumedMs = 25
const reservationMsDefault = 5_000
/** Above this number, idle names are removed. */
const namesMax = 20_000

export class ConcurrencyLimiter {
  readonly #limits: Required<ConcurrencyLimits>
  readonly #names = new Map<string, Name>()

  constructor(limits: ConcurrencyLimits) {
    this.#limits = { admittedWaitMsMax, waitMsMax: permitWaitMsMax, reservationMs: reservationMsDefault, ...limits }
  }

  size(): number {
    return this.#names.size
  }

  inFlightMax(): number {
    return this.#limits.inFlightMax()
  }

  capacity(name: string): number {
    const known = this.#names.get(name)
    if (known === undefined) return this.#limits.inFlightMax()
    if (known.reserved > 0 && performance.now() - known.reservedAt > this.#limits.reservationMs) known.reserved = 0
    return Math.max(0, Math.min(this.#limits.inFlightMax(), this.#admissible(known)) - known.admitted - known.reserved)
  }

  reserve(name: string, count: number): void {
    const known = this.#find(name)
    known.reserved += count
    known.reservedAt = performance.now()
  }

  /** Returns reservations that are not needed, or whose delivery has arrived. */
  unreserve(name: string, count: number): void {
    const known = this.#find(name)
    known.reserved = Math.max(0, known.reserved - count)
  }

  /** Whether one more delivery may be admitted. Admits nothing. */
  canAdmit(name: string): boolean {
    const known = this.#find(name)
    return known.admitted + 1 <= this.#admissible(known)
  }

  admit(name: string): void {
    this.#find(name).admitted += 1
  }

  finish(name: string): void {
    this.#find(name).admitted -= 1
  }

  /** A permit, or undefined when none became free within `waitMsMax`. */
  acquire(name: string): Promise<Permit | undefined> {
    const known = this.#find(name)
    if (known.granted.size < this.#limits.permitsMax()) return Promise.resolve(grant(known))
    return waitForPermit(known, this.#limits.waitMsMax)
  }

  release(name: string, permit: Permit): void {
    const known = this.#find(name)
    if (!known.granted.delete(permit)) return
    known.typicalMs = 0.8 * known.typicalMs + 0.2 * (performance.now() - permit.startedAt)
    // Granted synchronously: otherwise another caller finds the permit free before the waiting one wakes.
    for (const next of known.waiting) {
      if (known.granted.size >= this.#limits.permitsMax()) return
      next(grant(known))
    }
  }

  #admissible(known: Name): number {
    const { admittedWaitMsMax } = this.#limits
    const permitsMax = this.#limits.permitsMax()
    return permitsMax + Math.floor((permitsMax * admittedWaitMsMax) / Math.max(1, expectedMs(known)))
  }

  #find(name: string): Name {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size >= namesMax) this.#removeIdle()
    const created: Name = {
      granted: new Set(),
      waiting: new Set(),
      admitted: 0,
      reserved: 0,
      reservedAt: 0,
      typicalMs: presumedMs,
    }
    this.#names.set(name, created)
    return created
  }

  #removeIdle(): void {
    const before = performance.now() - this.#limits.reservationMs
    for (const [name, { granted, admitted, reservedAt }] of this.#names) {
      if (granted.size === 0 && admitted === 0 && reservedAt < before) this.#names.delete(name)
    }
  }
}

function waitForPermit(known: Name, waitMsMax: number): Promise<Permit | undefined> {
  return new Promise((resolve) => {
    const granted = (permit: Permit) => {
      clearTimeout(timer)
      known.waiting.delete(granted)
      resolve(permit)
    }
    const timer = setTimeout(() => {
      known.waiting.delete(granted)
      resolve(undefined)
    }, waitMsMax)
    known.waiting.add(granted)
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
