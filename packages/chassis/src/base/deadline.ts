/** A wait that lasted longer than its time-out. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

/**
 * Settles as `work` does, or after `timeoutMs` resolves with the value of `late`, without one rejects with a
 * DeadlineError. The work itself continues. `what` names the work in the message of the error.
 */
export async function within<T, L = never>(
  timeoutMs: number,
  what: string,
  work: Promise<T>,
  late?: () => L,
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<L>((resolve, reject) => {
    const end = () =>
      late === undefined ? reject(new DeadlineError(`${what}: not done in ${timeoutMs} ms`)) : resolve(late())
    // The work keeps the process alive; the timer alone must not.
    timer = setTimeout(end, timeoutMs).unref()
  })
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}

export interface Pause {
  /**
   * Resolves with true at the next `wake`, at once after a `wake` without a wait; with false after `waitMs`, or when a
   * `wakeWithin` ends the wait earlier.
   */
  wait(waitMs: number): Promise<boolean>
  wake(): void
  /** The current wait, or else the next one, ends at most `ms` after this call. */
  wakeWithin(ms: number): void
}

/** A wait that `wake` ends early. A `wake` or a `wakeWithin` before the wait is not lost. */
export function createPause(): Pause {
  let awake = false
  /** By the monotonic clock; the latest end of the wait. */
  let endsAt = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let finish: ((wasWoken: boolean) => void) | undefined
  const arm = () => {
    clearTimeout(timer)
    if (endsAt === Number.POSITIVE_INFINITY) return
    timer = setTimeout(() => finish?.(false), Math.max(0, endsAt - performance.now()))
  }
  return {
    wait(waitMs) {
      if (awake) {
        awake = false
        return Promise.resolve(true)
      }
      endsAt = Math.min(endsAt, performance.now() + waitMs)
      return new Promise((resolve) => {
        finish = (wasWoken) => {
          clearTimeout(timer)
          finish = undefined
          awake = false
          endsAt = Number.POSITIVE_INFINITY
          resolve(wasWoken)
        }
        arm()
      })
    },
    wake() {
      awake = true
      finish?.(true)
    },
    wakeWithin(ms) {
      const at = performance.now() + ms
      if (at >= endsAt) return
      endsAt = at
      if (finish !== undefined) arm()
    },
  }
}
