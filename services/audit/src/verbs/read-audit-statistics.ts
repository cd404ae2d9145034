import type { Caller } from '@payments/chassis/base/caller'
import { parseMonth, parsePeriod } from '@payments/contracts/grammar/period'
import type { AuditStatistics, AuditUsage } from '@payments/contracts/services/audit/statistics'
import type { Deps } from '../deps.ts'
import { presentStatistics } from '../domain/statistics.ts'
import * as statistics from '../store/statistics.ts'

interface Query {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly client?: string[] | undefined
}

/** Counts the requests of the calling tenant. Throws invalid_request for a period that is empty or too long. */
export async function readAuditStatistics(deps: Deps, caller: Caller, query: Query): Promise<AuditStatistics> {
  const { tenantId } = caller
  const period = parsePeriod(query, deps.now())
  const counts = await deps.db.readInTenant(tenantId, (tx) =>
    statistics.count(tx, tenantId, period, query.client ?? null),
  )
  return presentStatistics(period, counts)
}

/** Counts the requests of the calling tenant in a month. */
export async function readAuditUsage(deps: Deps, caller: Caller, name: string | undefined): Promise<AuditUsage> {
  const { tenantId } = caller
  const month = parseMonth(name, deps.now())
  return {
    month: month.name,
    requests: await deps.db.readInTenant(tenantId, (tx) => statistics.sum(tx, tenantId, month)),
  }
}
