import type { Caller } from '@payments/chassis/base/caller'
import { readStatistics } from '@payments/chassis/database/hourly-counts'
import { parsePeriod } from '@payments/contracts/grammar/period'
import { status } from '@payments/contracts/nouns/transaction'
import type { Deps } from '../deps.ts'

interface Query {
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly business_unit_id?: string | undefined
}

/** Throws invalid_request for a period that is empty or too long. */
export function readPaymentStatistics(deps: Deps, { tenantId }: Caller, query: Query) {
  const period = parsePeriod(query, deps.now())
  const selection = { statuses: status.options, unitId: query.business_unit_id }
  return deps.db.readInTenant(tenantId, (tx) => readStatistics(tx, tenantId, period, selection))
}
