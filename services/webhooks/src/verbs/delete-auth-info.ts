import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { authInfoProblems } from '@payments/contracts/services/webhooks/auth-info'
import type { Deps } from '../deps.ts'
import * as authInfos from '../store/subscription/auth-infos.ts'

/** Throws auth_info_not_found, auth_info_in_use. */
export async function deleteAuthInfo(deps: Deps, caller: Caller, authInfoId: string): Promise<undefined> {
  const { tenantId } = caller
  await deps.db.inTenant(tenantId, async (tx) => {
    const row = await authInfos.lockAuthInfo(tx, tenantId, authInfoId, 'change')
    if (row === null) throw new Problem(authInfoProblems.auth_info_not_found)
    if (await authInfos.isInUse(tx, tenantId, authInfoId)) throw new Problem(authInfoProblems.auth_info_in_use)
    await authInfos.remove(tx, tenantId, authInfoId)
  })
}
