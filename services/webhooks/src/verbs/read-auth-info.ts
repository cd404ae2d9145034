import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type AuthInfo, authInfoProblems } from '@payments/contracts/services/webhooks/auth-info'
import type { Deps } from '../deps.ts'
import { presentAuthInfo } from '../domain/auth-info.ts'
import { findAuthInfo, readUse } from '../store/auth-infos.ts'

/** Throws auth_info_not_found. */
export function readAuthInfo(deps: Deps, caller: Caller, authInfoId: string): Promise<AuthInfo> {
  const { tenantId } = caller
  return deps.db.readInTenant(tenantId, async (tx) => {
    const row = await findAuthInfo(tx, tenantId, authInfoId)
    if (row === null) throw new Problem(authInfoProblems.auth_info_not_found)
    return presentAuthInfo(row, await readUse(tx, tenantId, authInfoId))
  })
}
