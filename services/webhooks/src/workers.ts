import type { Log } from '@payments/chassis/log'
import { within } from '@payments/messaging/deadline'
import { isOutage } from '@payments/messaging/outage'
import type { WorkItem } from './domain/work-item.ts'
import type { Claimed } from './store/claim.ts'

/**
 * Deliveries that this process works on because it found them itself: of an event it has just fanned out, or in a line. No message
 * brings them, so nothing but their rows knows of them: each was claimed by the statement that found it, and says when somebody
 * else may take the delivery up, in case this process dies first.
 *
 * Guarantees: about `max` at once, more where several finders saw the same place free. What fails is left to the sweeper.
 */
export interface Workers {
  /** How many more may be taken. */
  free(): number
  /** Resolves when half of all are free, or after `waitMs`. */
  room(waitMs: number): Promise<void>
  /** Works on it from now on. */
  take(work: WorkItem, claimed: Claimed): void
  /** Waits for those in work, `timeoutMs` at the most. */
  stop(timeoutMs: number): Promise<void>
}

export interface WorkersOptions {
  readonly max?: number
  readonly handle: (work: WorkItem, claimed: Claimed) => Promise<void>
  /** Called when, of all that could be taken, half is free again. */
  readonly idle: () => void
  readonly log: Log
}

export function createWorkers({ max = 800, handle, idle, log }: WorkersOptions): Workers {
  const half = Math.floor(max / 2)
  const inWork = new Set<WorkItem>()
  let finished = () => {}
  const waiting = new Set<() => void>()
  const work = async (item: WorkItem, claimed: Claimed) => {
    try {
      await handle(item, claimed)
    } catch (err) {
      log[isOutage(err) ? 'warn' : 'error']({ err, delivery_id: item.id }, 'left to the sweeper')
    }
    inWork.delete(item)
    if (inWork.size === half) {
      for (const come of waiting) come()
      idle()
    }
    if (inWork.size === 0) finished()
  }
  return {
    free: () => Math.max(0, max - inWork.size),
    room: async (waitMs) => {
      if (inWork.size <= half) return
      await new Promise<void>((resolve) => {
        const come = () => {
          clearTimeout(timer)
          waiting.delete(come)
          resolve()
        }
        const timer = setTimeout(come, waitMs)
        waiting.add(come)
      })
    },
    take: (item, claimed) => {
      inWork.add(item)
      void work(item, claimed)
    },
    stop: async (timeoutMs) => {
      const ended = new Promise<void>((resolve) => {
        finished = resolve
        if (inWork.size === 0) resolve()
      })
      await within(timeoutMs, `${inWork.size} deliveries in work`, ended).catch((err) =>
        log.warn({ err }, 'stopped before all work was done; the sweeper takes it up'),
      )
    },
  }
}
