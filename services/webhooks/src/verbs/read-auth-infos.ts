import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { type AuthInfo, type AuthInfoConfig, authInfoProblems } from '@payments/contracts/services/webhooks/auth-info'
import type { Deps } from '../deps.ts'
import { type AuthInfoUse, configBinding, presentAuthInfo, unused } from '../domain/auth-info/auth-info.ts'
import * as authInfos from '../store/subscription/auth-infos.ts'

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

/** Throws auth_info_not_found. */
export async function readAuthInfo(deps: Deps, caller: Caller, authInfoId: string): Promise<AuthInfo> {
  const { row, use } = await find(deps, caller, authInfoId)
  return presentAuthInfo(row, use)
}

/** Throws auth_info_not_found. */
export async function revealAuthInfo(deps: Deps, caller: Caller, authInfoId: string): Promise<AuthInfo> {
  const { row, use } = await find(deps, caller, authInfoId)
  const config = await deps.vault.decrypt(configBinding(caller.tenantId, row.id), row.configEncrypted)
  return presentAuthInfo(row, use, JSON.parse(config) as AuthInfoConfig)
}

function find(
  { db }: Deps,
  { tenantId }: Caller,
  authInfoId: string,
): Promise<{ row: authInfos.AuthInfoRow; use: AuthInfoUse }> {
  return db.readInTenant(tenantId, async (tx) => {
    const row = await authInfos.findAuthInfo(tx, tenantId, authInfoId)
    if (row === null) throw new Problem(authInfoProblems.auth_info_not_found)
    return { row, use: await authInfos.readUse(tx, tenantId, authInfoId) }
  })
}
