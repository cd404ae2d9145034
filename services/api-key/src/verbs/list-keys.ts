import type { Caller } from '@payments/chassis/caller'
import type { Key } from '@payments/contracts/api-key'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/page'
import type { Deps } from '../deps.ts'
import { presentKey } from '../domain/key.ts'
import * as keys from '../store/keys.ts'

/** Values are masked; the masked form is stored, so nothing is decrypted. */
export async function listKeys(deps: Deps, caller: Caller, { cursor, limit }: PageQuery): Promise<Page<Key>> {
  const before = idBefore(cursor)
  const rows = await deps.db.inTenant(caller.tenantId, (tx) => keys.list(tx, caller.tenantId, { before, limit }))
  return pageOf(rows, limit, presentKey)
}
