import { within } from '@payments/chassis/base/deadline'
import type { Log } from '@payments/chassis/observability/log'
import { isOutage } from '@payments/messaging/consume/outage'
import type { WorkItem } from '../domain/delivery/delivery.ts'
import type { Claimed } from '../store/delivery/claim.ts'

export type Workers = ReturnType<typeof createWorkers>

interface WorkersOptions {
  readonly max?: number
  readonly handle: (item: WorkItem, claimed: Claimed) => Promise<void>
  /** Called when half of the capacity becomes free. */
  readonly idle: () => void
  readonly log: Log
}

/**
 * **What it does.** Works on deliveries that this process found itself, by fan-out or in a backlog, about `max` at a
 * time. Its consumer attempts a delivery that a message brings.
 *
 * **Participants.** A finder reads the `free` capacity, claims deliveries and passes each to `take`. Fan-out waits for
 * capacity before. `handle` makes the attempt (deliver.ts). `idle` wakes the backlog dispatcher.
 *
 * **Guarantees.** A worker never waits for another one. A delivery that fails here is left to the sweeper: no message
 * carries it, but the statement that found it also claimed it, with a lease. `stop` ends within `timeoutMs`.
 *
 * **Not guaranteed.** Exactly `max` at a time: finders that use the same free capacity may exceed it together.
 */
export function createWorkers({ max = 800, handle, idle, log }: WorkersOptions) {
  const half = Math.floor(max / 2)
  const inProgress = new Set<WorkItem>()
  let finished = () => {}
  const waiting = new Set<() => void>()
  /** Deliveries that callers of `waitForCapacity` will take. */
  let expected = 0
  const hasCapacity = () => inProgress.size + expected <= half
  const grantWaiting = () => {
    for (const grant of waiting) {
      if (!hasCapacity()) return
      grant()
    }
  }
  const expect = (count: number) => {
    expected += count
    return () => {
      expected -= count
      grantWaiting()
    }
  }
  const attempt = async (item: WorkItem, claimed: Claimed) => {
    try {
      await handle(item, claimed)
    } catch (err) {
      log[isOutage(err) ? 'warn' : 'error']({ err, delivery_id: item.id }, 'delivery failed; left to the sweeper')
    }
    inProgress.delete(item)
    grantWaiting()
    if (inProgress.size === half) idle()
    if (inProgress.size === 0) finished()
  }
  return {
    /** How many more deliveries may be taken. */
    free: () => Math.max(0, max - inProgress.size),
    /**
     * Resolves in turn when half of the capacity is free, or after `waitMs`. The caller will take up to `count`, and
     * calls the result when it has: the next caller waits for what the ones before it take.
     */
    waitForCapacity: async (count: number, waitMs: number): Promise<() => void> => {
      if (waiting.size === 0 && hasCapacity()) return expect(count)
      return new Promise((resolve) => {
        const grant = () => {
          clearTimeout(timer)
          waiting.delete(grant)
          resolve(expect(count))
        }
        const timer = setTimeout(grant, waitMs)
        waiting.add(grant)
      })
    },
    take: (item: WorkItem, claimed: Claimed) => {
      inProgress.add(item)
      void attempt(item, claimed)
    },
    /** Waits for the work in progress, at most `timeoutMs`. */
    stop: async (timeoutMs: number) => {
      const ended = new Promise<void>((resolve) => {
        finished = resolve
        if (inProgress.size === 0) resolve()
      })
      await within(timeoutMs, `${inProgress.size} deliveries in progress`, ended).catch((err) =>
        log.warn({ err }, 'stopped with deliveries in progress; left to the sweeper'),
      )
    },
  }
}
