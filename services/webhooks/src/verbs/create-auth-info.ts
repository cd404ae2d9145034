import type { Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import {
  type AuthInfo,
  type AuthInfoConfig,
  authInfoProblems,
  authInfosMax,
} from '@payments/contracts/services/webhooks/auth-info'
import type { Deps } from '../deps.ts'
import {
  configBinding,
  maskConfig,
  presentAuthInfo,
  rejectReservedHeaders,
  unused,
} from '../domain/auth-info/auth-info.ts'
import { rejectDestination } from '../domain/subscription/subscription-input.ts'
import { countAuthInfos, insertAuthInfo, lockAuthInfos } from '../store/subscription/auth-infos.ts'

/** Throws header_not_allowed, destination_not_allowed, too_many_auth_infos. */
export async function createAuthInfo(
  deps: Deps,
  caller: Caller,
  { name, config, hosts }: { name: string; config: AuthInfoConfig; hosts: string[] },
): Promise<AuthInfo> {
  const { tenantId } = caller
  const id = newId()
  const violation = 'token_url' in config ? await deps.destinations.findViolation(config.token_url) : undefined
  const configEncrypted = await deps.vault.encrypt(configBinding(tenantId, id), JSON.stringify(config))
  return once(deps.db, caller, async (tx) => {
    rejectReservedHeaders(config)
    rejectDestination(violation, '/config/token_url')
    await lockAuthInfos(tx, tenantId)
    if ((await countAuthInfos(tx, tenantId)) >= authInfosMax) throw new Problem(authInfoProblems.too_many_auth_infos)
    const configMasked = maskConfig(config)
    return presentAuthInfo(
      await insertAuthInfo(tx, tenantId, { id, name, type: config.type, hosts, configEncrypted, configMasked }),
      unused,
    )
  })
}
