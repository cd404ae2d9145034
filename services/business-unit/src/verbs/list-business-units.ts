import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { presentBusinessUnit } from '../domain/business-unit.ts'
import * as units from '../store/business-units.ts'

export async function listBusinessUnits(
  deps: Deps,
  { tenantId }: Caller,
  { status, cursor, limit }: PageQuery & { readonly status?: BusinessUnit['status'] | undefined },
): Promise<Page<BusinessUnit>> {
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(tenantId, (tx) => units.list(tx, tenantId, { status, before, limit }))
  return toPage(rows, limit, presentBusinessUnit)
}
