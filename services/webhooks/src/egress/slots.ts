import { slotWaitMsMax } from '../domain/lease.ts'

/**
 * At most `slotsMax` attempts at once for each name, a destination or a tenant, so that one that hangs does not take every place of
 * the process.
 *
 * Who comes is let in as long as its wait for a slot is likely to be shorter than `waitMsMax`. Likely is judged by how long attempts
 * take there, those in work included: for a destination that answers in 5 ms hundreds may wait, for one that hangs nobody does. Of
 * one that is not known yet it is presumed that they take `presumedMs`. A slot is taken the moment one is free, first come, first
 * served; who waited in vain gives up.
 *
 * `room` turns the same judgement around: how many more may be sent on their way here, `windowMax` at most being on it. What was
 * sent is counted until it comes; other processes take from the same queue, so what was sent last `forgetMs` ago is taken to have
 * gone elsewhere.
 *
 * In this process only: two dispatchers allow twice as many. Not promised: that a destination that was fast and begins to hang
 * holds up nobody; it can, once, for `waitMsMax`.
 */
export interface SlotLimits {
  readonly slotsMax: number
  readonly windowMax: number
  readonly waitMsMax?: number
  readonly forgetMs?: number
}

/** An attempt in work. */
export interface Slot {
  readonly startedAt: number
}

interface Name {
  /** Oldest first. */
  readonly inWork: Set<Slot>
  readonly waiting: Set<(slot: Slot) => void>
  /** Those let in and not gone yet. */
  inHand: number
  /** Those sent and not come yet. */
  sent: number
  sentAt: number
  typicalMs: number
}

const presumedMs = 25
const forgetMsDefault = 5_000
/** Beyond this many, those that are idle are forgotten. */
const namesMax = 20_000

export class Slots {
  readonly #limits: Required<SlotLimits>
  readonly #names = new Map<string, Name>()

  constructor(limits: SlotLimits) {
    this.#limits = { waitMsMax: slotWaitMsMax, forgetMs: forgetMsDefault, ...limits }
  }

  size(): number {
    return this.#names.size
  }

  /** How many more may be sent on their way here. */
  room(name: string): number {
    const known = this.#names.get(name)
    if (known === undefined) return this.#limits.windowMax
    if (known.sent > 0 && performance.now() - known.sentAt > this.#limits.forgetMs) known.sent = 0
    return Math.max(0, Math.min(this.#limits.windowMax, this.#capacity(known)) - known.inHand - known.sent)
  }

  sent(name: string, count: number): void {
    const known = this.#find(name)
    known.sent += count
    known.sentAt = performance.now()
  }

  /** What was counted as sent was not. */
  unsent(name: string, count: number): void {
    const known = this.#find(name)
    known.sent = Math.max(0, known.sent - count)
  }

  /** Somebody came. */
  came(name: string): void {
    this.unsent(name, 1)
  }

  letsIn(name: string): boolean {
    const known = this.#find(name)
    return known.inHand + 1 <= this.#capacity(known)
  }

  in(name: string): void {
    this.#find(name).inHand += 1
  }

  out(name: string): void {
    this.#find(name).inHand -= 1
  }

  /** A slot, or undefined when the wait was in vain. */
  enter(name: string): Promise<Slot | undefined> {
    const known = this.#find(name)
    if (known.inWork.size < this.#limits.slotsMax) return Promise.resolve(take(known))
    return waitForSlot(known, this.#limits.waitMsMax)
  }

  leave(name: string, slot: Slot): void {
    const known = this.#find(name)
    if (!known.inWork.delete(slot)) return
    known.typicalMs = 0.8 * known.typicalMs + 0.2 * (performance.now() - slot.startedAt)
    const [next] = known.waiting
    // Taken here and now, or somebody else would find the slot free before the one who waits wakes.
    next?.(take(known))
  }

  #capacity(known: Name): number {
    const { slotsMax, waitMsMax } = this.#limits
    return slotsMax + Math.floor((slotsMax * waitMsMax) / Math.max(1, expectedMs(known)))
  }

  #find(name: string): Name {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size >= namesMax) this.#forgetIdle()
    const made: Name = { inWork: new Set(), waiting: new Set(), inHand: 0, sent: 0, sentAt: 0, typicalMs: presumedMs }
    this.#names.set(name, made)
    return made
  }

  #forgetIdle(): void {
    const before = performance.now() - this.#limits.forgetMs
    for (const [name, { inWork, inHand, sentAt }] of this.#names) {
      if (inWork.size === 0 && inHand === 0 && sentAt < before) this.#names.delete(name)
    }
  }
}

function waitForSlot(known: Name, waitMsMax: number): Promise<Slot | undefined> {
  return new Promise((resolve) => {
    const granted = (slot: Slot) => {
      clearTimeout(timer)
      known.waiting.delete(granted)
      resolve(slot)
    }
    const timer = setTimeout(() => {
      known.waiting.delete(granted)
      resolve(undefined)
    }, waitMsMax)
    known.waiting.add(granted)
  })
}

function take(known: Name): Slot {
  const slot = { startedAt: performance.now() }
  known.inWork.add(slot)
  return slot
}

/** How long an attempt takes there. */
function expectedMs({ inWork, typicalMs }: Name): number {
  const [oldest] = inWork
  return Math.max(typicalMs, oldest === undefined ? 0 : performance.now() - oldest.startedAt)
}
