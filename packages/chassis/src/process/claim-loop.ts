import { createPause } from '../base/deadline.ts'
import type { Allowance } from '../database/turns.ts'
import type { Log } from '../observability/log.ts'
import { type NextDue, untilDue } from './when-due.ts'

export interface ClaimLoop {
  /** Looks for due rows at once, for example after a commit that made one due. */
  wake(): void
  /** Claims nothing more. Resolves after the attempts in progress. */
  stop(): Promise<void>
}

export interface Claim<Claimed> {
  readonly claimed: readonly Claimed[]
  /** Whether another claim at once may find more rows. */
  readonly mayBeMore: boolean
}

export interface ClaimLoopOptions<Claimed> {
  /** Name of the rows, for the log. */
  readonly name: string
  /** When the next row is due: one statement outside of transactions. */
  readonly nextDue: NextDue
  /** Claims due rows with a lease, in turn among tenants (turns.ts). Concurrent processes claim different ones. */
  readonly claim: (allowance: Allowance) => Promise<Claim<Claimed>>
  /** Attempts a claimed row and records the outcome. When it rejects, the row is due again after its lease. */
  readonly attempt: (claimed: Claimed) => Promise<void>
  /** The ids of a row, for the log. */
  readonly idsOf: (claimed: Claimed) => Readonly<Record<string, string>>
  /** Attempts in progress per process. Default: 16. */
  readonly attemptsMax?: number
  /** Attempts in progress per process and tenant. Default: 4. */
  readonly attemptsPerTenantMax?: number
  /** Between a claim or an attempt and the next look. Default: 1 s. */
  readonly intervalMs?: number
  /** Between two looks of an idle process. Default: 30 s. */
  readonly restMsMax?: number
  readonly log: Log
}

/**
 * **What it does.** Claims due rows and attempts them. It claims when woken, and when a look finds a due row
 * (when-due.ts).
 *
 * **Guarantees.** At most 16 attempts are in progress, at most 4 of one tenant, where the caller sets no other bounds.
 * A failure of a claim or of an attempt is logged and ends neither the loop nor another attempt. A look follows a claim
 * or an attempt after a second. While the process is idle, a look follows at the next due time, and after 30 s: so late
 * at most is the row of another process that ended before it claimed the row.
 *
 * **Not guaranteed.** Order.
 */
export function startClaimLoop<Claimed extends { readonly tenantId: string }>(
  options: ClaimLoopOptions<Claimed>,
): ClaimLoop {
  const { name, nextDue, attemptsMax = 16, attemptsPerTenantMax = 4, log } = options
  const { intervalMs = 1_000, restMsMax = 30_000 } = options
  const attempts = new Set<Promise<void>>()
  const inProgress = new Map<string, number>()
  const pause = createPause()
  let isStopped = false
  let mayBeMore = false
  /** Tenants whose bound ended the last claim of their rows. */
  let atBound: ReadonlySet<string> = new Set()
  const attempt = async (claimed: Claimed) => {
    try {
      await options.attempt(claimed)
    } catch (err) {
      log.error({ err, ...options.idsOf(claimed) }, 'attempt not recorded')
    }
  }
  const start = (claimed: Claimed) => {
    const { tenantId } = claimed
    const running: Promise<void> = attempt(claimed).finally(() => {
      const count = inProgress.get(tenantId) ?? 0
      attempts.delete(running)
      if (count > 1) inProgress.set(tenantId, count - 1)
      else inProgress.delete(tenantId)
      if (mayBeMore || atBound.has(tenantId)) pause.wake()
      else pause.wakeWithin(intervalMs)
    })
    inProgress.set(tenantId, (inProgress.get(tenantId) ?? 0) + 1)
    attempts.add(running)
  }
  const claim = async () => {
    const limit = attemptsMax - attempts.size
    if (limit === 0) return
    const counts = new Map(inProgress)
    const found = await options.claim({ limit, perTenantMax: attemptsPerTenantMax, inProgress: counts })
    for (const one of found.claimed) {
      counts.set(one.tenantId, (counts.get(one.tenantId) ?? 0) + 1)
      start(one)
    }
    mayBeMore = found.mayBeMore
    atBound = new Set([...counts].filter(([, count]) => count >= attemptsPerTenantMax).map(([tenantId]) => tenantId))
    // Attempts that ended during the claim woke nothing.
    const isBelowBound = [...atBound].some((tenantId) => (inProgress.get(tenantId) ?? 0) < attemptsPerTenantMax)
    if (isBelowBound || (mayBeMore && attempts.size < attemptsMax)) pause.wake()
  }
  const run = async () => {
    while (!isStopped) {
      await claim().catch((err: unknown) => log.error({ err }, `claim of ${name} failed`))
      if (!isStopped) await untilDue(pause, { name, nextDue, log, intervalMs, restMsMax })
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
