import type { CallerWith } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { Problem } from '@payments/contracts/grammar/problem'
import { type AuthInfo, type AuthInfoConfig, authInfoProblems } from '@payments/contracts/services/webhooks/auth-info'
import type { webhooks } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import {
  configBinding,
  maskConfig,
  presentAuthInfo,
  rejectReservedHeaders,
  rejectTypeMismatch,
} from '../domain/auth-info/auth-info.ts'
import { rejectAddedHosts, requireSameTokenHost } from '../domain/auth-info/credential-hosts.ts'
import { rejectDestination } from '../domain/subscription/subscription-input.ts'
import * as authInfos from '../store/subscription/auth-infos.ts'

type Replacement = RequestOf<typeof webhooks.endpoints.updateAuthInfo>['body']

/**
 * Deliveries use the change from their next attempt on. Throws auth_info_not_found, header_not_allowed,
 * destination_not_allowed, permission_denied (domain/auth-info/credential-hosts.ts), and invalid_request when the type
 * changes without its config.
 */
export async function updateAuthInfo(
  deps: Deps,
  caller: CallerWith<'webhook:RevealAuthInfo'>,
  authInfoId: string,
  { name, type, config, hosts }: Replacement,
): Promise<AuthInfo> {
  const { tenantId } = caller
  const violation =
    config !== undefined && 'token_url' in config ? await deps.destinations.findViolation(config.token_url) : undefined
  const stored = config === undefined ? undefined : await encryptConfig(deps, tenantId, authInfoId, config)
  return deps.db.inTenant(tenantId, async (tx) => {
    const current = await authInfos.lockAuthInfo(tx, tenantId, authInfoId, 'change')
    if (current === null) throw new Problem(authInfoProblems.auth_info_not_found)
    rejectTypeMismatch(current.type, { type, config })
    if (config !== undefined) rejectReservedHeaders(config)
    rejectDestination(violation, '/config/token_url')
    rejectAddedHosts(caller, current, hosts)
    if (config !== undefined && 'token_url' in config) requireSameTokenHost(caller, current, config.token_url)
    const change = definedMembers({ name, hosts, config: stored })
    const updated = await authInfos.update(tx, tenantId, authInfoId, change)
    return presentAuthInfo(updated, await authInfos.readUse(tx, tenantId, authInfoId))
  })
}

async function encryptConfig(deps: Deps, tenantId: string, authInfoId: string, config: AuthInfoConfig) {
  const configEncrypted = await deps.vault.encrypt(configBinding(tenantId, authInfoId), JSON.stringify(config))
  return { type: config.type, configEncrypted, configMasked: maskConfig(config) }
}
