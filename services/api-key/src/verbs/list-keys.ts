import type { Caller } from '@payments/chassis/base/caller'
import { rowsWithPart } from '@payments/chassis/base/name-search'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { Key } from '@payments/contracts/services/api-key/contract'
import type { Deps } from '../deps.ts'
import { type KeyFilter, presentKey } from '../domain/key.ts'
import * as keys from '../store/keys.ts'

/** Values are masked; the masked form is stored, so nothing is decrypted. */
export async function listKeys(
  deps: Deps,
  caller: Caller,
  { cursor, limit }: PageQuery,
  filter: KeyFilter,
): Promise<Page<Key>> {
  const { tenantId } = caller
  const page = { before: idBefore(cursor), limit }
  const found = filter.search === undefined ? [] : await searchNames(deps, tenantId, filter.search)
  const rows = await deps.db.readInTenant(tenantId, (tx) => keys.list(tx, tenantId, page, { ...filter, found }))
  const now = new Date()
  return toPage(rows, limit, (row) => presentKey(row, now))
}

/** The ids of the keys of the tenant whose name has the part. */
async function searchNames({ db }: Deps, tenantId: string, part: string): Promise<string[]> {
  const rows = await db.readInTenant(tenantId, (tx) => keys.listNames(tx, tenantId))
  const found = await rowsWithPart(tenantId, { rows, listTexts: ({ name }) => [name], part })
  return found.map(({ id }) => id)
}
