import type { Database } from '@payments/chassis/database/database'
import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { beforeTenants, type WaitingRows, waitingTenants } from '@payments/chassis/database/waiting-tenants'
import type { Log } from '@payments/chassis/observability/log'
import { everyInTurns, type Scheduled } from '@payments/chassis/process/schedule'

export interface RetainedRows<Tx> extends Pick<WaitingRows, 'table' | 'condition' | 'column'> {
  /** Redacts at most `rowsMax` rows of a tenant that are older than `before`. Returns their number. */
  readonly redact: (tx: Tx, tenantId: string, before: Date, rowsMax: number) => Promise<number>
}

interface RetentionDeps<Tx extends SqlTx> {
  readonly db: Pick<Transactions<Tx>, 'inTenant'> & { readonly crossTenant: SqlTx }
  readonly log: Pick<Log, 'error'>
}

interface RetentionRun {
  readonly days: number
  readonly now: Date
  /** `position` of the previous run. Null: from the first tenant on. */
  readonly after: string | null
  readonly tenantsMax?: number
  readonly runMsMax?: number
}

interface RedactedRows {
  readonly redacted: number
  /** Where the next run continues. Null: every tenant had its turn. */
  readonly position: string | null
}

const intervalMs = 10 * 60_000
const tenantsMaxDefault = 500
const runMsMaxDefault = 30_000
const rowsMax = 500
const dayMs = 24 * 60 * 60_000

/**
 * **What it does.** Redacts rows with personal data of payers once they are `days` old. 0: never.
 *
 * **Participants.** A table with an index of `tenant_id` and `column` where `condition` holds, which a redacted row
 * leaves.
 *
 * **Guarantees.**
 * 1. Tenants take turns of one batch of `rowsMax` rows, each in its own transaction.
 * 2. A run ends after 30 seconds, or when a round over all tenants found no full batch. The next run continues at the
 *    tenant where this one ended.
 * 3. A tenant that fails is logged, and delays no other.
 *
 * **Not guaranteed.** That a run redacts all rows. A locked row waits for the next one.
 */
export async function redactOldRows<Tx extends SqlTx>(
  deps: RetentionDeps<Tx>,
  { redact, ...rows }: RetainedRows<Tx>,
  { days, now, after, tenantsMax = tenantsMaxDefault, runMsMax = runMsMaxDefault }: RetentionRun,
): Promise<RedactedRows> {
  if (days === 0) return { redacted: 0, position: null }
  const before = new Date(now.getTime() - days * dayMs)
  const endsAt = performance.now() + runMsMax
  let redacted = 0
  let position = after
  let isRoundFull = position !== null
  do {
    const tenants = await waitingTenants<Date>(deps.db.crossTenant, { ...rows, tenantsMax }, position ?? beforeTenants)
    for (const { tenantId } of tenants.filter(({ first }) => first < before)) {
      const count = await redactTenant(deps, tenantId, (tx) => redact(tx, tenantId, before, rowsMax))
      redacted += count
      isRoundFull ||= count === rowsMax
      if (performance.now() > endsAt) return { redacted, position: tenantId }
    }
    position = tenants.length < tenantsMax ? null : (tenants.at(-1)?.tenantId ?? null)
    if (position === null && !isRoundFull) break
    if (position === null) isRoundFull = false
  } while (performance.now() <= endsAt)
  return { redacted, position }
}

async function redactTenant<Tx extends SqlTx>(
  { db, log }: RetentionDeps<Tx>,
  tenantId: string,
  redact: (tx: Tx) => Promise<number>,
): Promise<number> {
  try {
    return await db.inTenant(tenantId, redact)
  } catch (err) {
    log.error({ err, tenant_id: tenantId }, 'could not redact the old rows of a tenant')
    return 0
  }
}

/** Redacts the rows of a service that are older than `days`. */
export const startRetention = <Tx extends SqlTx>(
  { db, log }: { readonly db: Database<Tx>; readonly log: Log },
  rows: RetainedRows<Tx>,
  days: number,
): Scheduled =>
  everyInTurns(intervalMs, 'redact-old-rows', log, async (after) => {
    const { redacted, position } = await redactOldRows({ db, log }, rows, { days, now: new Date(), after })
    if (redacted > 0) log.info({ redacted }, 'data of payers redacted after its retention')
    return position
  })
