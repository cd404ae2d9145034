import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/grammar/page'
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
  const rows = await deps.db.readInTenant(tenantId, (tx) => keys.list(tx, tenantId, page, filter))
  const now = new Date()
  return pageOf(rows, limit, (row) => presentKey(row, now))
}
