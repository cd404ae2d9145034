/**
 * At most `slotsMax` attempts at once per destination, so that one that hangs does not take every place of the process.
 *
 * Who finds no slot waits, unless the wait is likely to be longer than `waitMsMax`: a destination that answers in 5 ms may
 * have hundreds waiting, one that hangs has none. Likely is judged by how long its attempts take, those in work included.
 * Who does not wait, or waited in vain, goes away until its turn: turns are given out one after the other, at the pace at
 * which the destination frees its slots, within `awayMsMin` and `awayMsMax`.
 *
 * In this process only: two dispatchers allow twice as many.
 */
export interface Slots {
  /**
   * Runs `work` in a slot, or `refused` with a wait in milliseconds. `work` may give the slot back before it ends, once the
   * destination has nothing more to do.
   */
  run(
    destination: string,
    work: (giveBack: () => void) => Promise<void>,
    refused: (waitMs: number) => Promise<void>,
  ): Promise<void>
  /** Destinations known. */
  size(): number
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
  /** The last turn that was given out. */
  turnAt: number
  typicalMs: number
}

const awayMsMin = 1_000
const awayMsMax = 60_000
/** Beyond this many, those that are idle are forgotten. */
const destinationsMax = 10_000

export function createSlots({ slotsMax = 10, waitMsMax = 250 }: SlotLimits = {}): Slots {
  const destinations = new Map<string, Destination>()

  const find = (name: string): Destination => {
    const known = destinations.get(name)
    if (known !== undefined) return known
    if (destinations.size >= destinationsMax) forgetIdle(destinations)
    const destination = {
      inWork: new Set<Attempt>(),
      waiting: new Set<(slot: Attempt) => void>(),
      turnAt: 0,
      typicalMs: 0,
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
  /** The slot, or undefined when the wait was in vain. */
  const waitForSlot = (destination: Destination): Promise<Attempt | undefined> =>
    new Promise((resolve) => {
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
  const enter = async (destination: Destination): Promise<Attempt | undefined> => {
    if (destination.inWork.size < slotsMax) return take(destination)
    const waitMs = ((destination.waiting.size + 1) / slotsMax) * expectedMs(destination)
    return waitMs > waitMsMax ? undefined : waitForSlot(destination)
  }

  return {
    size: () => destinations.size,
    async run(name, work, refused) {
      const destination = find(name)
      const slot = await enter(destination)
      if (slot === undefined) {
        await refused(turn(destination))
        return
      }
      const giveBack = () => leave(destination, slot)
      try {
        await work(giveBack)
      } finally {
        giveBack()
      }
    },
  }
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
  for (const [name, { inWork, waiting }] of destinations) {
    if (inWork.size === 0 && waiting.size === 0) destinations.delete(name)
  }
}
