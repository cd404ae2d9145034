import type { Caller } from '@payments/chassis/base/caller'
import { parseMonth } from '@payments/contracts/grammar/period'
import type { AuditUsage } from '@payments/contracts/services/audit/statistics'
import type { Deps } from '../deps.ts'
import * as statistics from '../store/statistics.ts'

/** Counts the requests of the calling tenant in a month. */
export async function readAuditUsage(deps: Deps, caller: Caller, name: string | undefined): Promise<AuditUsage> {
  const { tenantId } = caller
  const month = parseMonth(name, deps.now())
  return {
    month: month.name,
    requests: await deps.db.readInTenant(tenantId, (tx) => statistics.sum(tx, tenantId, month)),
  }
}
