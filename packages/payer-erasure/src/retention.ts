import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import { beforeTenants, type WaitingRows, waitingTenants } from '@payments/chassis/database/waiting-tenants'

export interface RetainedRows<Tx> extends Pick<WaitingRows, 'table' | 'condition' | 'column'> {
  /** Redacts at most `rowsMax` rows of a tenant that are older than `before`. Returns their number. */
  readonly redact: (tx: Tx, tenantId: string, before: Date, rowsMax: number) => Promise<number>
}

interface RetentionDb<Tx extends SqlTx> extends Pick<Transactions<Tx>, 'inTenant'> {
  readonly crossTenant: SqlTx
}

const tenantsMax = 500
const rowsMax = 500
const roundsMax = 10
const dayMs = 24 * 60 * 60_000

/**
 * **What it does.** Redacts rows with personal data of payers once they are `days` old. 0: never.
 *
 * **Participants.** A table with an index of `tenant_id` and `column` where `condition` holds, which a redacted row
 * leaves.
 *
 * **Guarantees.** In each round every tenant gets one batch of `rowsMax` rows, each in a transaction of its own. So the
 * rows of one tenant do not delay those of others. A run ends after `roundsMax` rounds, or when no row is left.
 *
 * **Not guaranteed.** That a run redacts all rows: the next one continues. A locked row waits for it too.
 */
export async function redactOldRows<Tx extends SqlTx>(
  db: RetentionDb<Tx>,
  { redact, ...rows }: RetainedRows<Tx>,
  { days, now }: { readonly days: number; readonly now: Date },
): Promise<number> {
  if (days === 0) return 0
  const before = new Date(now.getTime() - days * dayMs)
  let total = 0
  let after = beforeTenants
  for (let round = 0; round < roundsMax; round += 1) {
    const tenants = await waitingTenants<Date>(db.crossTenant, { ...rows, tenantsMax }, after)
    let redacted = 0
    for (const { tenantId } of tenants.filter(({ first }) => first < before)) {
      redacted += await db.inTenant(tenantId, (tx) => redact(tx, tenantId, before, rowsMax))
    }
    total += redacted
    // With more tenants than one round looks at, the next round continues after them.
    const hasMore = tenants.length === tenantsMax
    after = hasMore ? (tenants.at(-1)?.tenantId ?? beforeTenants) : beforeTenants
    if (redacted === 0 && !hasMore) return total
  }
  return total
}
