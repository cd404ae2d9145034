import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, pageOf } from '@payments/contracts/grammar/page'
import type { AuthInfo } from '@payments/contracts/services/webhooks/auth-info'
import type { Deps } from '../deps.ts'
import { presentAuthInfo } from '../domain/auth-info.ts'
import * as authInfos from '../store/auth-infos.ts'

export async function listAuthInfos(deps: Deps, caller: Caller, { cursor, limit }: PageQuery): Promise<Page<AuthInfo>> {
  const { tenantId } = caller
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(tenantId, (tx) => authInfos.list(tx, tenantId, { before, limit }))
  return pageOf(rows, limit, (row) => presentAuthInfo(row))
}
