/**
 * **What it does.** Starts a process of `npm start` again after it ended by itself. Each end is one line of output.
 *
 * **Guarantees.** Nothing is started while the group closes. A process that ends three times within a minute of
 * running ends everything: `failed` rejects with the end of its log. A start that fails counts as an end.
 *
 * **Not guaranteed.** A process that runs and does not respond is left alone.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { formatError, UserError } from '../machine/user-error.ts'
import { deathReport, type Exit, exitText, type ProcessGroup, type Running } from './process-group.ts'

const endsMax = 3
const endsWindowMs = 60_000
/** Before each new start within the window. */
const backOffMs = [250, 2_000] as const

export interface Supervisor {
  /** Starts `child` again when it ends by itself, and what `startAgain` returned when that ends. */
  readonly keep: (child: Running, startAgain: () => Promise<Running>) => void
  /** The process has ended by itself: starts it again, once. */
  readonly revive: (child: Running, exit: Exit, startAgain: () => Promise<Running>) => Promise<void>
  /** Rejects with a UserError when a process ends too often. */
  readonly failed: Promise<never>
}

interface History {
  /** How long the process has run in total. */
  runningMs: number
  /** Ends at this running time, the latest last. */
  readonly endedAtMs: number[]
}

export function supervisor(group: ProcessGroup, say: (line: string) => void): Supervisor {
  const histories = new Map<string, History>()
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => {}) // the caller may not wait for it yet
  const openHistory = (name: string): History => {
    const history = histories.get(name) ?? { runningMs: 0, endedAtMs: [] }
    histories.set(name, history)
    return history
  }
  const revive: Supervisor['revive'] = async (child, exit, startAgain) => {
    const history = openHistory(child.name)
    history.runningMs += performance.now() - child.startedAtMs
    let what = `ended by itself (${exitText(exit)})`
    while (!group.isClosing()) {
      history.endedAtMs.push(history.runningMs)
      const recent = history.endedAtMs.filter((at) => history.runningMs - at < endsWindowMs)
      if (recent.length >= endsMax) {
        fail(new UserError(deathReport(child, `${what}, the ${endsMax}rd time within a minute`)))
        return
      }
      say(`${new Date().toISOString()} ${child.name} ${what} and is started again. Its log: ${child.logFile}`)
      await delay(backOffMs[recent.length - 1])
      if (group.isClosing()) return
      try {
        await startAgain()
        return
      } catch (error) {
        what = `could not be started (${formatError(error).split('\n')[0]})`
      }
    }
  }
  const keep: Supervisor['keep'] = (child, startAgain) => {
    const startAndKeep = async () => {
      const started = await startAgain()
      keep(started, startAgain)
      return started
    }
    void child.exited.then((exit) => revive(child, exit, startAndKeep))
  }
  return { keep, revive, failed }
}

const leftoversTimeoutMs = 20_000
const attemptPauseMs = 250

/**
 * Starts a server after a crash. Its ports and its shared memory are free only when the last of its children has
 * noticed the end, so a failed start is tried again for some seconds.
 */
export async function startAfterCrash<T>(start: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + leftoversTimeoutMs
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof UserError) || performance.now() > deadline) throw error
      await delay(attemptPauseMs)
    }
  }
}
