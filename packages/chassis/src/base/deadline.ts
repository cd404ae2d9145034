/** A wait that lasted longer than its time-out. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

/**
 * Settles as `work` does, or rejects with a DeadlineError after `timeoutMs`. The work itself continues. `what` names
 * the work in the message of the error.
 */
export async function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`${what}: not done in ${timeoutMs} ms`)), timeoutMs)
    // The work keeps the process alive; the timer alone must not.
    timer.unref()
  })
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}

export interface Pause {
  /** Resolves after `waitMs` or at the next `wake`, whichever is first; at once after a `wake` without a wait. */
  wait(waitMs: number): Promise<void>
  wake(): void
}

/** A wait that `wake` ends early. A `wake` before the wait is not lost. */
export function createPause(): Pause {
  let awake = false
  let finish: (() => void) | undefined
  return {
    wait(waitMs) {
      if (awake) {
        awake = false
        return Promise.resolve()
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => finish?.(), waitMs)
        finish = () => {
          clearTimeout(timer)
          finish = undefined
          awake = false
          resolve()
        }
      })
    },
    wake() {
      awake = true
      finish?.()
    },
  }
}
