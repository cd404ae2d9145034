import { actorName, type Caller } from '@payments/chassis/caller'
import { Problem } from '@payments/contracts/problem'
import { type AuthInfo, type AuthInfoConfig, authInfoProblems } from '@payments/contracts/webhooks-auth-info'
import type { Deps } from '../api/deps.ts'
import { configBinding, presentAuthInfo } from '../domain/auth-info.ts'
import { revealLimit, tooManyReveals } from '../domain/reveal.ts'
import { findAuthInfo } from '../store/auth-infos.ts'
import { countReveal } from '../store/reveals.ts'

/** Throws auth_info_not_found, which also counts as a reveal, and rate_limited. */
export async function revealAuthInfo(deps: Deps, caller: Caller, authInfoId: string): Promise<AuthInfo> {
  const { tenantId } = caller
  const { waitSeconds, row } = await deps.db.inTenant(tenantId, async (tx) => {
    const waitSeconds = await countReveal(tx, tenantId, actorName(caller.actor), revealLimit)
    if (waitSeconds !== null) return { waitSeconds, row: null }
    return { waitSeconds, row: await findAuthInfo(tx, tenantId, authInfoId) }
  })
  // Thrown after the commit, so that a reveal without a result counts.
  if (waitSeconds !== null) throw tooManyReveals(waitSeconds)
  if (row === null) throw new Problem(authInfoProblems.auth_info_not_found)
  const config = await deps.vault.decrypt(configBinding(tenantId, row.id), row.configEncrypted)
  return presentAuthInfo(row, JSON.parse(config) as AuthInfoConfig)
}
