import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { Seal } from '@payments/contracts/services/audit/contract'
import type { Deps } from '../deps.ts'
import { presentSeal } from '../domain/seal.ts'
import { findUnsealedChains, nextSealing } from '../store/chains.ts'
import { listNewestSeals } from '../store/seals.ts'
import { nextVerification } from '../store/verifications.ts'

export async function listCheckpoints(deps: Deps, { cursor, limit }: PageQuery): Promise<Page<Seal>> {
  const before = idBefore(cursor)
  const rows = await deps.db.acrossTenants((tx) => listNewestSeals(tx, before, limit))
  return toPage(
    rows.map((row) => ({ ...row, id: row.tenantId })),
    limit,
    presentSeal,
  )
}

/** By tenant, after `after`. */
export function listUnsealedChains(
  deps: Deps,
  page: { readonly after: string | null; readonly chainsMax: number },
): Promise<string[]> {
  return deps.db.acrossTenants((tx) => findUnsealedChains(tx, page))
}

/** At once while a chain has records that are not sealed. */
export function findNextSealing({ db }: Pick<Deps, 'db'>): Promise<number | null> {
  return nextSealing(db.crossTenant)
}

/** When the next range of a chain is to be verified. */
export function findNextVerification({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<number | null> {
  return nextVerification(db.crossTenant, now())
}
