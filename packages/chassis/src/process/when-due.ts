import { createPause, type Pause } from '../base/deadline.ts'
import type { Commits } from '../database/transaction.ts'
import type { Log } from '../observability/log.ts'
import { type Scheduled, withPauses } from './schedule.ts'

/** Milliseconds until the first waiting row is due, at most 0 when one is due now. Null: no row waits. */
export type NextDue = () => Promise<number | null>

interface Waiting {
  /** Name of the job or of the rows, for the log. */
  readonly name: string
  readonly nextDue: NextDue
  /** Each of them is followed by a look: the commits of the process, unless its rows become due with a `wake`. */
  readonly signals?: Pick<Commits, 'watch'> | undefined
  readonly log: Log
  /** Between two runs that no `wake` demands, and until the look after a signal. Default: 1 s. */
  readonly intervalMs?: number
  /** Between two looks while nothing happens in this process. Default: 30 s. */
  readonly restMsMax?: number
}

export interface DueRuns extends Scheduled {
  /** Runs the job at once, or after the run in progress. */
  wake(): void
  /** A look follows within the interval. */
  soon(): void
}

const intervalMsDefault = 1_000
const restMsMaxDefault = 30_000

/**
 * Waits until `pause` is woken or a row is due. Looks after `intervalMs`, at the due time that the last look found, at
 * the end of a `wakeWithin`, and at least every `restMsMax`. A failed look is logged and repeated.
 */
async function untilDue(pause: Pause, { name, nextDue, log, ...waits }: Waiting): Promise<void> {
  const { intervalMs = intervalMsDefault, restMsMax = restMsMaxDefault } = waits
  let waitMs = intervalMs
  while (!(await pause.wait(waitMs))) {
    try {
      const dueMs = await nextDue()
      if (dueMs !== null && dueMs <= 0) return
      waitMs = Math.min(restMsMax, dueMs ?? restMsMax)
    } catch (err) {
      log.error({ err, job: name }, 'look for due rows failed')
      waitMs = intervalMs
    }
  }
}

/**
 * **What it does.** Runs a job while rows are due, and pauses while none is.
 *
 * **Participants.** `nextDue`, one statement outside of transactions; `signals`, such as the commits of the process.
 *
 * **Guarantees.**
 * 1. A row that this process commits is looked for within `intervalMs`, and runs at its due time.
 * 2. A row of another process runs at most `restMsMax` after its due time, also after the end of that process.
 * 3. Runs are never concurrent, and at least `intervalMs` apart where no `wake` demands one at once. A failed run is
 *    logged, and the next one follows.
 *
 * **Not guaranteed.** A run when no row is due, apart from the first one.
 */
export function whenDue(waiting: Waiting, job: () => Promise<unknown>): DueRuns {
  const { name, log, signals, intervalMs = intervalMsDefault } = waiting
  const pause = createPause()
  const soon = () => pause.wakeWithin(intervalMs)
  const unwatch = signals?.watch(soon)
  const runs = withPauses({ pause, intervalMs, name, log }, job, () => untilDue(pause, waiting))
  return {
    wake: () => pause.wake(),
    soon,
    stop: () => {
      unwatch?.()
      return runs.stop()
    },
  }
}
