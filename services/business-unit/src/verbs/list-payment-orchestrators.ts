import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { type PaymentOrchestrator, problems } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { presentPaymentOrchestrator } from '../domain/payment-orchestrator.ts'
import * as units from '../store/business-units.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/** Throws business_unit_not_found. */
export async function listPaymentOrchestrators(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  { status, cursor, limit }: PageQuery & { readonly status?: PaymentOrchestrator['status'] | undefined },
): Promise<Page<PaymentOrchestrator>> {
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(tenantId, async (tx) => {
    if ((await units.find(tx, tenantId, businessUnitId)) === null) throw new Problem(problems.business_unit_not_found)
    return orchestrators.list(tx, tenantId, { businessUnitId, status, before, limit })
  })
  return toPage(rows, limit, presentPaymentOrchestrator)
}
