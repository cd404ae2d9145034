import { databaseNow } from '../database/database-now.ts'
import type { Commits, SqlTx, Transactions } from '../database/transaction.ts'
import type { Allowance, Turns } from '../database/turns.ts'
import type { Log } from '../observability/log.ts'
import { createBackgroundWork } from './background-work.ts'
import { whenDue } from './when-due.ts'

export interface ClaimLoop {
  /** Looks for due rows at once, for example after a commit that made one due. */
  wake(): void
  /** Claims nothing more. Resolves after the attempts in progress. */
  stop(): Promise<void>
}

export interface DueRows<Tx extends SqlTx, Claimed> {
  readonly db: Pick<Transactions<Tx>, 'acrossTenants'> & { readonly crossTenant: SqlTx }
  /** The turns of the tenants, for the table of the rows. */
  readonly turns: Turns
  /** Claims rows that the transaction has locked: moves their due time to `leaseUntil`. */
  readonly claim: (tx: Tx, ids: readonly string[], leaseUntil: Date) => Promise<readonly Claimed[]>
  /**
   * Longer than an attempt with all its time-outs. An attempt that lasts longer is made again beside it. Default: 60 s.
   */
  readonly leaseMs?: number
  /** Default: the clock of the database. */
  readonly now?: () => Date
}

export interface ClaimLoopOptions<Tx extends SqlTx, Claimed> extends DueRows<Tx, Claimed> {
  /** Name of the rows, for the log. */
  readonly name: string
  /** Whether attempts may begin, for example with a broker. While it is false, the loop claims nothing. */
  readonly isReady?: () => Promise<boolean>
  /** Attempts a claimed row, records the outcome, and reschedules or ends the row. */
  readonly attempt: (claimed: Claimed) => Promise<void>
  /** The ids of a row, for the log. */
  readonly logFields: (claimed: Claimed) => Readonly<Record<string, string>>
  /** Attempts in progress per process. Default: 16, and 4 of one tenant. */
  readonly permitsMax?: number
  readonly perTenantMax?: number
  /** The commits of the process, where others than `attempt` make rows due without a `wake`. */
  readonly signals?: Pick<Commits, 'watch'>
  /** Between a claim, an attempt or a signal and the next look. Default: 1 s. */
  readonly intervalMs?: number
  /** Between two looks of an idle process. Default: 30 s. */
  readonly restMsMax?: number
  readonly log: Log
}

interface Claim<Claimed> {
  readonly claimed: readonly Claimed[]
  /** Whether another claim at once may find more rows. */
  readonly mayBeMore: boolean
}

const leaseMsDefault = 60_000

/** Claims due rows for one attempt each, as many as `allowance` has. */
export function claimDue<Tx extends SqlTx, Claimed>(
  { db, turns, claim, leaseMs = leaseMsDefault, now }: DueRows<Tx, Claimed>,
  allowance: Allowance,
): Promise<Claim<Claimed>> {
  return db.acrossTenants(async (tx) => {
    const at = now?.() ?? (await databaseNow(tx))
    const { ids, mayBeMore } = await turns.lockDue(tx, at, allowance)
    const leaseUntil = new Date(at.getTime() + leaseMs)
    return { claimed: ids.length === 0 ? [] : await claim(tx, ids, leaseUntil), mayBeMore }
  })
}

/**
 * **What it does.** Claims due rows and attempts them, when woken and when a look finds one (when-due.ts).
 *
 * **Participants.** turns.ts; the attempt, which moves the due time of its row.
 *
 * **Guarantees.**
 * 1. Processes never claim the same row: a claim skips locked rows and sets a lease. Without an outcome, the row is due
 *    again at its end.
 * 2. Tenants take turns, with bounded attempts: one whose attempts hang delays no other.
 * 3. After an attempt at a bound a claim follows at once, after others a look. At rest, looks follow at the next due
 *    time and every `restMsMax`.
 * 4. A failure is logged.
 *
 * **Not guaranteed.** Order. One attempt: a killed process may have had its effect.
 */
export function startClaimLoop<Tx extends SqlTx, Claimed extends { readonly tenantId: string }>(
  options: ClaimLoopOptions<Tx, Claimed>,
): ClaimLoop {
  const { db, turns, now, isReady, permitsMax = 16, perTenantMax = 4, log } = options
  let mayBeMore = false
  /** Tenants whose bound ended the last claim of their rows. */
  let atBound: ReadonlySet<string> = new Set()
  const attempts = createBackgroundWork({
    permitsMax,
    perTenantMax,
    ended: (tenantId) => {
      if (mayBeMore || atBound.has(tenantId)) claims.wake()
      else claims.soon()
    },
  })
  const attempt = async (claimed: Claimed) => {
    try {
      await options.attempt(claimed)
    } catch (err) {
      log.error({ err, ...options.logFields(claimed) }, 'attempt not recorded')
    }
  }
  const claim = async () => {
    const allowance = attempts.allowance()
    if (allowance.limit === 0 || (await isReady?.()) === false) return
    const found = await claimDue(options, allowance)
    const counts = new Map(allowance.inProgress)
    for (const claimed of found.claimed) {
      counts.set(claimed.tenantId, (counts.get(claimed.tenantId) ?? 0) + 1)
      attempts.start(claimed.tenantId, () => attempt(claimed))
    }
    mayBeMore = found.mayBeMore
    atBound = new Set([...counts].filter(([, count]) => count >= perTenantMax).map(([tenantId]) => tenantId))
    // Attempts that ended during the claim woke nothing.
    const { limit, inProgress } = attempts.allowance()
    const isBelowBound = [...atBound].some((tenantId) => (inProgress.get(tenantId) ?? 0) < perTenantMax)
    if (isBelowBound || (mayBeMore && limit > 0)) claims.wake()
  }
  const claims = whenDue({ ...options, nextDue: () => turns.nextDue(db.crossTenant, now?.()) }, claim)
  claims.wake()
  return {
    wake: claims.wake,
    stop: async () => {
      await claims.stop()
      await attempts.settled()
    },
  }
}
