import type { Caller } from '@payments/chassis/base/caller'
import { readUsage } from '@payments/chassis/database/hourly-counts'
import { parseMonth } from '@payments/contracts/grammar/period'
import type { Deps } from '../deps.ts'

/** Counts what the business units of the calling tenant used in a month. */
export function readDeliveryUsage(deps: Deps, { tenantId }: Caller, name: string | undefined) {
  const month = parseMonth(name, new Date())
  return deps.db.readInTenant(tenantId, (tx) => readUsage(tx, tenantId, month))
}
