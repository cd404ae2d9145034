import { createPause } from '../base/deadline.ts'
import type { Allowance } from '../database/turns.ts'
import type { Log } from '../observability/log.ts'

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
  readonly log: Log
}

const intervalMs = 1_000

/**
 * **What it does.** Claims due rows, every second and when woken, and attempts them.
 *
 * **Guarantees.** At most 16 attempts are in progress, at most 4 of one tenant, where the caller sets no other bounds.
 * A failure of a claim or of an attempt is logged and ends neither the loop nor another attempt.
 *
 * **Not guaranteed.** Order.
 */
export function startClaimLoop<Claimed extends { readonly tenantId: string }>(
  options: ClaimLoopOptions<Claimed>,
): ClaimLoop {
  const { name, attemptsMax = 16, attemptsPerTenantMax = 4, log } = options
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
