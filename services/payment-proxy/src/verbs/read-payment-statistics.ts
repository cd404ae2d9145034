import type { Caller } from '@payments/chassis/base/caller'
import { readStatistics, readUsage } from '@payments/chassis/database/hourly-counts'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { parseMonth, parsePeriod } from '@payments/contracts/grammar/period'
import { status } from '@payments/contracts/nouns/transaction'
import type { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'

type Query = RequestOf<typeof paymentProxy.endpoints.readPaymentStatistics>['query']

/** Throws invalid_request for a period that is empty or too long. */
export function readPaymentStatistics(deps: Deps, { tenantId }: Caller, query: Query) {
  const period = parsePeriod(query, deps.now())
  const selection = { statuses: status.options, unitId: query.business_unit_id }
  return deps.db.readInTenant(tenantId, (tx) => readStatistics(tx, tenantId, period, selection))
}

/** Counts what the business units of the calling tenant used in a month. */
export function readPaymentUsage(deps: Deps, { tenantId }: Caller, name: string | undefined) {
  const month = parseMonth(name, deps.now())
  return deps.db.readInTenant(tenantId, (tx) => readUsage(tx, tenantId, month))
}
