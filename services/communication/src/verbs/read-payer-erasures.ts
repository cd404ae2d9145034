import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { type PayerErasure, payerProblems } from '@payments/contracts/services/communication/payers'
import type { Deps } from '../deps.ts'
import { presentErasure } from '../domain/payer-erasure.ts'
import { findRequest, listRequests } from '../store/payer-erasures.ts'

/** For operators: the erasures of a tenant, or of all tenants. */
export function listPayerErasures(
  { db }: Pick<Deps, 'db'>,
  { cursor, limit, tenant_id: tenantId }: PageQuery & { readonly tenant_id?: string | undefined },
): Promise<Page<PayerErasure>> {
  const before = idBefore(cursor)
  return db.acrossTenants(async (tx) =>
    toPage(await listRequests(tx, tenantId, { before, limit }), limit, presentErasure),
  )
}

/** For operators. Throws payer_erasure_not_found. */
export async function readPayerErasure({ db }: Pick<Deps, 'db'>, erasureId: string): Promise<PayerErasure> {
  const request = await db.acrossTenants((tx) => findRequest(tx, erasureId))
  if (request === null) throw new Problem(payerProblems.payer_erasure_not_found)
  return presentErasure(request)
}
