import { createFairPermits, type FairPermitOptions, limitProblem } from './fair-permits.ts'

const shortMsMax = 1
const restMsMax = 100
const subjectsMax = 10_000

/**
 * **What it does.** Bounds the share of the event loop that each subject, such as a tenant, has for work that holds it
 * for milliseconds: each step of every other request waits meanwhile.
 *
 * **Guarantees.** One work of a subject at a time. After a work longer than a millisecond, the next one of the subject
 * begins as much later as the work has lasted: half of the time at least is for others, however many works wait. The
 * members of a subject take turns (fair-permits.ts).
 *
 * **Not guaranteed.** A share of all subjects together. Across processes.
 */
export function createLoopShare(limits: Pick<FairPermitOptions, 'waitingMax' | 'waitMsMax' | 'createRejection'>) {
  const permits = createFairPermits({ ...limits, permitsMax: subjectsMax, perSubjectMax: 1 })
  /**
   * Waits until work of the subject may begin. Resolves with the function to call at its end, before the event loop
   * turns. Rejects with the error of `createRejection` beyond a limit.
   */
  const begin = async (subject: string): Promise<() => void> => {
    const release = permits.tryAcquire(subject) ?? (await permits.acquire(subject))
    const startedAt = performance.now()
    return () => {
      const ms = performance.now() - startedAt
      if (ms > shortMsMax) setTimeout(release, Math.min(ms, restMsMax))
      else release()
    }
  }
  return {
    begin,
    /** Calls `work` once it may begin. Rejects as `begin`, without having called `work`. */
    run: async <T>(subject: string, work: () => T): Promise<T> => {
      const end = await begin(subject)
      try {
        return work()
      } finally {
        end()
      }
    },
  }
}

/** That of this process. Its subjects are tenants. */
export const loopShare = createLoopShare({
  waitingMax: 2_000,
  waitMsMax: 10_000,
  createRejection: limitProblem('Too many requests with much text are in progress'),
})
