import type { Client } from '@payments/chassis/client'
import type { apiKey } from '@payments/contracts/api-key'
import { type Environment, keyHash, parseKeyValue } from '@payments/contracts/key-value'
import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { TokenVerifier } from './jwt-verifier.ts'
import { type KeyOwner, rememberKeys } from './key-cache.ts'
import { createKeyUses } from './key-usage.ts'
import { type Grant, type RoleOwner, rememberRoles } from './role-cache.ts'
import { rememberTokens } from './token-cache.ts'

/** What a credential stands for, at the moment it was asked. */
export interface Principal {
  readonly tenantId: string
  readonly tenantStatus: 'active' | 'suspended'
  readonly actor: { readonly type: 'api_key' | 'user'; readonly id: string }
  readonly permissions: readonly Permission[]
  /** Where the credential may be used from; null is anywhere. */
  readonly allowedCidrs: readonly string[] | null
}

/** Judges credentials. */
export interface Resolver {
  /**
   * undefined where the credential is not good, for whatever reason. Throws authorization_unavailable where an owner
   * does not answer: a request is never let through on a guess.
   */
  judge(bearer: string, context: { traceId: string }): Promise<Principal | undefined>
  /** Tells api-key of the last uses of keys. */
  close(): Promise<void>
}

export interface Owners {
  readonly apiKey: KeyOwner & Pick<Client<typeof apiKey>, 'recordKeyUses'>
  readonly rbac: RoleOwner
}

interface AuthorityOptions {
  readonly owners: Owners
  readonly tokens: TokenVerifier
  readonly environment: Environment
  readonly onUsesFailure: (error: unknown) => void
  readonly remembered?: RememberedMax
}

/** How many answers of each kind are remembered; the one not used for longest goes first. */
export interface RememberedMax {
  readonly keysMax: number
  readonly unknownHandlesMax: number
  readonly grantsMax: number
  readonly tokensMax: number
}

const rememberedMax: RememberedMax = {
  keysMax: 100_000,
  unknownHandlesMax: 20_000,
  grantsMax: 100_000,
  tokensMax: 20_000,
}

/**
 * The authority that remembers what the owners of keys and roles said, by the rules of epoch.ts: each request catches up with the
 * owners first, so that what they have answered binds the very next one. What time alone changes is judged here, each time.
 */
export function createResolver({
  owners,
  tokens,
  environment,
  onUsesFailure,
  remembered = rememberedMax,
}: AuthorityOptions): Resolver {
  const keys = rememberKeys(owners.apiKey, remembered)
  const roles = rememberRoles(owners.rbac, remembered)
  const verified = rememberTokens(tokens, remembered)
  const uses = createKeyUses({ owner: owners.apiKey, onFailure: onUsesFailure, keysMax: remembered.keysMax })

  const judgeKey = async (value: string, context: { traceId: string }): Promise<Principal | undefined> => {
    if (parseKeyValue(value)?.environment !== environment) return undefined
    await Promise.all([keys.catchUp(), roles.catchUp()])
    const key = await keys.identify(keyHash(value), context)
    if (key === null || !key.enabled) return undefined
    if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now()) return undefined
    const grant = await roles.resolve(key.tenant_id, { role_ids: key.role_ids }, context)
    const actor = { type: 'api_key', id: key.api_key_id } as const
    const principal = judgementOf(key.tenant_id, actor, grant, key.allowed_cidrs)
    if (principal !== undefined) uses.note(key.api_key_id, key.tenant_id)
    return principal
  }

  const judgeToken = async (token: string, context: { traceId: string }): Promise<Principal | undefined> => {
    const identity = await verified.verify(token)
    if (identity === undefined) return undefined
    await roles.catchUp()
    const grant = await roles.resolve(identity.tenantId, { role_names: [...identity.roleNames] }, context)
    return judgementOf(identity.tenantId, { type: 'user', id: identity.subject }, grant, null)
  }

  return {
    judge: (bearer, context) => {
      const judged = bearer.startsWith('psk_') ? judgeKey(bearer, context) : judgeToken(bearer, context)
      return judged.catch((error: unknown) => {
        throw unavailable(error)
      })
    },
    close: uses.close,
  }
}

function judgementOf(
  tenantId: string,
  actor: Principal['actor'],
  { tenantStatus, permissions }: Grant,
  allowedCidrs: readonly string[] | null,
): Principal | undefined {
  return tenantStatus === 'unknown' ? undefined : { tenantId, tenantStatus, actor, permissions, allowedCidrs }
}

const retryAfterSeconds = 1

/** The owner's silence in our words; a fault of ours stays what it is. */
function unavailable(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status < 500) return error
  if (error.code === commonProblems.authorization_unavailable.code) return error
  return new Problem(commonProblems.authorization_unavailable, { retryAfterSeconds, cause: error })
}
