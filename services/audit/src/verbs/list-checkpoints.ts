import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { Seal } from '@payments/contracts/services/audit/contract'
import type { Deps } from '../deps.ts'
import { presentSeal } from '../domain/seal.ts'
import { listNewestSeals } from '../store/seals.ts'

export async function listCheckpoints(deps: Deps, { cursor, limit }: PageQuery): Promise<Page<Seal>> {
  const before = idBefore(cursor)
  const rows = await deps.db.acrossTenants((tx) => listNewestSeals(tx, before, limit))
  return toPage(
    rows.map((row) => ({ ...row, id: row.tenantId })),
    limit,
    presentSeal,
  )
}
