/**
 * At most `slotsMax` attempts at once per destination, so that one that hangs does not take every place of the process.
 *
 * Who comes is let into the line, unless the wait there is likely to be longer than `waitMsMax`: a destination that answers in
 * 5 ms may have hundreds in line, one that hangs has none. Likely is judged by how long its attempts take, those in work
 * included; of one that is not known yet it is presumed that they take `presumedMs`, so it may have 50 in line.
 * From the line a slot is taken the moment one is free, first come, first served. Who is not let in, or waited in vain, goes
 * away until its turn: turns are given out one after the other, at the pace at which the destination frees its slots, within
 * `awayMsMin` and `awayMsMax`.
 *
 * In this process only: two dispatchers allow twice as many. Not promised: that a destination that was fast and begins to hang
 * holds up nobody; it can, once, for `waitMsMax`.
 */
export interface Slots {
  /** Lets `work` in, or runs `refused` with a wait in milliseconds. The slot is given back at the latest when `work` ends. */
  run(
    destination: string,
    work: (place: Place) => Promise<void>,
    refused: (waitMs: number) => Promise<void>,
  ): Promise<void>
  /** Destinations known. */
  size(): number
}

/** A place in line, and then a slot. */
export interface Place {
  /** Resolves with undefined once there is a slot, or with how long to stay away. */
  enter(): Promise<{ readonly awayMs: number } | undefined>
  /** Gives the slot back: the destination has nothing more to do. */
  leave(): void
}

export interface SlotLimits {
  readonly slotsMax?: number
  readonly waitMsMax?: number
}

interface Attempt {
  readonly startedAt: number
}

interface Destination {
  /** Oldest first. */
  readonly inWork: Set<Attempt>
  readonly waiting: Set<(slot: Attempt) => void>
  /** Those let in that had no slot yet, the waiting among them. */
  coming: number
  /** The last turn that was given out. */
  turnAt: number
  typicalMs: number
}

export const slotWaitMsMax = 500
const presumedMs = 100
const awayMsMin = 1_000
const awayMsMax = 60_000
/** Beyond this many, those that are idle are forgotten. */
const destinationsMax = 10_000

export function createSlots({ slotsMax = 10, waitMsMax = slotWaitMsMax }: SlotLimits = {}): Slots {
  const destinations = new Map<string, Destination>()

  const find = (name: string): Destination => {
    const known = destinations.get(name)
    if (known !== undefined) return known
    if (destinations.size >= destinationsMax) forgetIdle(destinations)
    const destination: Destination = {
      inWork: new Set(),
      waiting: new Set(),
      coming: 0,
      turnAt: 0,
      typicalMs: presumedMs,
    }
    destinations.set(name, destination)
    return destination
  }
  const turn = (destination: Destination) => {
    const now = performance.now()
    const next = Math.max(now + awayMsMin, destination.turnAt) + expectedMs(destination) / slotsMax
    destination.turnAt = Math.min(now + awayMsMax, next)
    return Math.round(destination.turnAt - now)
  }
  const letsIn = (destination: Destination) => {
    const free = slotsMax - destination.inWork.size
    const ahead = Math.max(0, destination.coming + 1 - free)
    return (ahead / slotsMax) * expectedMs(destination) <= waitMsMax
  }

  return {
    size: () => destinations.size,
    async run(name, work, refused) {
      const destination = find(name)
      if (!letsIn(destination)) {
        await refused(turn(destination))
        return
      }
      destination.coming += 1
      let slot: Attempt | undefined
      let coming = true
      const come = () => {
        if (coming) destination.coming -= 1
        coming = false
      }
      const place: Place = {
        enter: async () => {
          slot = destination.inWork.size < slotsMax ? take(destination) : await waitForSlot(destination, waitMsMax)
          come()
          return slot === undefined ? { awayMs: turn(destination) } : undefined
        },
        leave: () => {
          if (slot !== undefined) leave(destination, slot)
        },
      }
      try {
        await work(place)
      } finally {
        come()
        place.leave()
      }
    },
  }
}

/** The slot, or undefined when the wait was in vain. */
function waitForSlot(destination: Destination, waitMsMax: number): Promise<Attempt | undefined> {
  return new Promise((resolve) => {
    const granted = (slot: Attempt) => {
      clearTimeout(timer)
      destination.waiting.delete(granted)
      resolve(slot)
    }
    const timer = setTimeout(() => {
      destination.waiting.delete(granted)
      resolve(undefined)
    }, waitMsMax)
    destination.waiting.add(granted)
  })
}

function take(destination: Destination): Attempt {
  const slot = { startedAt: performance.now() }
  destination.inWork.add(slot)
  return slot
}

function leave(destination: Destination, slot: Attempt): void {
  if (!destination.inWork.delete(slot)) return
  destination.typicalMs = 0.8 * destination.typicalMs + 0.2 * (performance.now() - slot.startedAt)
  const [next] = destination.waiting
  // Taken here and now, or somebody else would find the slot free before the one who waits wakes.
  next?.(take(destination))
}

/** How long an attempt takes there. */
function expectedMs({ inWork, typicalMs }: Destination): number {
  const [oldest] = inWork
  return Math.max(typicalMs, oldest === undefined ? 0 : performance.now() - oldest.startedAt)
}

function forgetIdle(destinations: Map<string, Destination>): void {
  for (const [name, { inWork, coming }] of destinations) {
    if (inWork.size === 0 && coming === 0) destinations.delete(name)
  }
}
