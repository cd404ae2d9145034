/**
 * At most `slotsMax` attempts at once per destination, so that one that hangs does not take every place of the process.
 *
 * Who finds no slot waits, unless the wait is likely to be longer than `waitMsMax`: a destination that answers in 5 ms may
 * have hundreds waiting, one that hangs has none. Likely is judged by how long its attempts take, those in work included.
 * Who does not wait, or waited in vain, is told for how long to go away; the more have gone, the longer.
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
  /** Destinations known, for metrics and tests. */
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
  /** How many were sent away and are not back. */
  away: number
  typicalMs: number
}

const awayMsMin = 1_000
const awayMsMax = 60_000

export function createSlots({ slotsMax = 10, waitMsMax = 250 }: SlotLimits = {}): Slots {
  const destinations = new Map<string, Destination>()

  const expectedMs = ({ inWork, typicalMs }: Destination) => {
    const [oldest] = inWork
    return Math.max(typicalMs, oldest === undefined ? 0 : performance.now() - oldest.startedAt)
  }
  const awayMs = (destination: Destination) => {
    const backlogMs = (destination.away * expectedMs(destination)) / slotsMax
    return Math.round(Math.min(awayMsMax, Math.max(awayMsMin, backlogMs)) * (0.5 + Math.random()))
  }
  const take = (destination: Destination): Attempt => {
    const slot = { startedAt: performance.now() }
    destination.inWork.add(slot)
    return slot
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
  const leave = (name: string, destination: Destination, slot: Attempt) => {
    if (!destination.inWork.delete(slot)) return
    destination.typicalMs = 0.8 * destination.typicalMs + 0.2 * (performance.now() - slot.startedAt)
    const [next] = destination.waiting
    // Taken here and now, or somebody else would find the slot free before the one who waits wakes.
    next?.(take(destination))
    if (destination.inWork.size === 0) destinations.delete(name)
  }

  return {
    size: () => destinations.size,
    async run(name, work, refused) {
      const destination = destinations.get(name) ?? { inWork: new Set(), waiting: new Set(), away: 0, typicalMs: 0 }
      destinations.set(name, destination)
      const slot = await enter(destination)
      if (slot === undefined) {
        destination.away += 1
        await refused(awayMs(destination))
        return
      }
      destination.away = Math.max(0, destination.away - 1)
      const giveBack = () => leave(name, destination, slot)
      try {
        await work(giveBack)
      } finally {
        giveBack()
      }
    },
  }
}
