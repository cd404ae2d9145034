import { createPause } from './deadline.ts'
import type { Log } from './log.ts'

export interface ClaimLoop {
  /** Looks for due rows at once, for example after a commit that made one due. */
  wake(): void
  /** Claims nothing more. Resolves after the attempts in progress. */
  stop(): Promise<void>
}

export interface ClaimLoopOptions<Claimed> {
  /** Name of the rows, for the log. */
  readonly name: string
  /** Claims at most `limit` due rows with a lease. Skips locked rows, so concurrent processes claim different ones. */
  readonly claim: (limit: number) => Promise<readonly Claimed[]>
  /** Attempts a claimed row and records the outcome. When it rejects, the row is due again after its lease. */
  readonly attempt: (claimed: Claimed) => Promise<void>
  /** The ids of a row, for the log. */
  readonly idsOf: (claimed: Claimed) => Readonly<Record<string, string>>
  readonly log: Log
}

/** Attempts in progress per process. */
const attemptsMax = 16
const intervalMs = 1_000

/**
 * **What it does.** Claims due rows, every second and when woken, and attempts them.
 *
 * **Participants.** `claim`, which sets a lease; `attempt`; the loops of other processes.
 *
 * **Guarantees.** At most 16 attempts are in progress. A failure of a claim or of an attempt is logged and ends neither
 * the loop nor another attempt.
 *
 * **Not guaranteed.** Order.
 */
export function startClaimLoop<Claimed>(options: ClaimLoopOptions<Claimed>): ClaimLoop {
  const { name, log } = options
  const attempts = new Set<Promise<void>>()
  const pause = createPause()
  let isStopped = false
  let mayBeMore = false
  const attempt = async (claimed: Claimed) => {
    try {
      await options.attempt(claimed)
    } catch (err) {
      log.error({ err, ...options.idsOf(claimed) }, 'attempt not recorded')
    }
  }
  const claim = async () => {
    const limit = attemptsMax - attempts.size
    if (limit === 0) return
    const claimed = await options.claim(limit)
    mayBeMore = claimed.length === limit
    for (const one of claimed) {
      const running: Promise<void> = attempt(one).finally(() => {
        attempts.delete(running)
        if (mayBeMore) pause.wake()
      })
      attempts.add(running)
    }
  }
  const run = async () => {
    while (!isStopped) {
      await claim().catch((err: unknown) => log.error({ err }, `claim of ${name} failed`))
      await pause.wait(intervalMs)
    }
    await Promise.all(attempts)
  }
  const ended = run()
  return {
    wake: () => pause.wake(),
    stop: () => {
      isStopped = true
      pause.wake()
      return ended
    },
  }
}
