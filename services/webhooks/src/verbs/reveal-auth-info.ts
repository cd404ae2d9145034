import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type AuthInfo, type AuthInfoConfig, authInfoProblems } from '@payments/contracts/services/webhooks/auth-info'
import type { Deps } from '../deps.ts'
import { configBinding, presentAuthInfo } from '../domain/auth-info.ts'
import { findAuthInfo, readUse } from '../store/auth-infos.ts'

/** Throws auth_info_not_found. */
export async function revealAuthInfo(deps: Deps, caller: Caller, authInfoId: string): Promise<AuthInfo> {
  const { tenantId } = caller
  const { row, use } = await deps.db.readInTenant(tenantId, async (tx) => {
    const row = await findAuthInfo(tx, tenantId, authInfoId)
    if (row === null) throw new Problem(authInfoProblems.auth_info_not_found)
    return { row, use: await readUse(tx, tenantId, authInfoId) }
  })
  const config = await deps.vault.decrypt(configBinding(tenantId, row.id), row.configEncrypted)
  return presentAuthInfo(row, use, JSON.parse(config) as AuthInfoConfig)
}
