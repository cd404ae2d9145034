import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import type { AuthInfo } from '@payments/contracts/services/webhooks/auth-info'
import type { Deps } from '../deps.ts'
import { presentAuthInfo, unused } from '../domain/auth-info.ts'
import * as authInfos from '../store/auth-infos.ts'

export async function listAuthInfos(deps: Deps, caller: Caller, { cursor, limit }: PageQuery): Promise<Page<AuthInfo>> {
  const { tenantId } = caller
  const before = idBefore(cursor)
  const { rows, uses } = await deps.db.readInTenant(tenantId, async (tx) => {
    const rows = await authInfos.list(tx, tenantId, { before, limit })
    const ids = rows.slice(0, limit).map(({ id }) => id)
    return { rows, uses: await authInfos.listUses(tx, tenantId, ids) }
  })
  return toPage(rows, limit, (row) => presentAuthInfo(row, uses.get(row.id) ?? unused))
}
