import type { Client } from '@payments/chassis/client/client'
import { type Environment, keyHash, parseKeyValue } from '@payments/contracts/grammar/key-value'
import type { Permission } from '@payments/contracts/grammar/permission'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import type { TokenVerifier } from './jwt-verifier.ts'
import { createKeyCache, type KeySource } from './key-cache.ts'
import { createKeyUsage } from './key-usage.ts'
import { type Clock, processClock } from './lease.ts'
import { createRoleCache, type Grant, type RoleSource } from './role-cache.ts'
import { createTokenCache } from './token-cache.ts'

/** The authenticated caller, as of the moment of the call of `resolve`. */
export interface Principal {
  readonly tenantId: string
  readonly tenantStatus: 'active' | 'suspended'
  readonly actor: { readonly type: 'api_key' | 'user'; readonly id: string }
  readonly permissions: readonly Permission[]
  /** Networks from which the credential is accepted; null accepts every address. */
  readonly allowedCidrs: readonly string[] | null
}

export interface Resolver {
  /**
   * undefined for a credential that is not valid, for any reason. Throws authorization_unavailable when an
   * authorization source does not respond: the gateway admits no request without a response.
   */
  resolve(bearer: string, context: { traceId: string }): Promise<Principal | undefined>
  /** Flushes key usage. */
  close(): Promise<void>
}

export interface AuthorizationSources {
  readonly apiKey: KeySource & Pick<Client<typeof apiKey>, 'recordKeyUses'>
  readonly rbac: RoleSource
}

interface ResolverOptions {
  readonly sources: AuthorizationSources
  readonly tokens: TokenVerifier
  readonly environment: Environment
  readonly onKeyUsageFailure: (error: unknown) => void
  readonly cacheSizes?: CacheSizes
  readonly clock?: Clock
}

/** Maximum entries of each cache. The least recently used entry is evicted first. */
interface CacheSizes {
  readonly keysMax: number
  readonly unknownHashesMax: number
  readonly grantsMax: number
  readonly tokensMax: number
}

const defaultCacheSizes: CacheSizes = {
  keysMax: 100_000,
  unknownHashesMax: 20_000,
  grantsMax: 100_000,
  tokensMax: 20_000,
}

/**
 * Resolves credentials from caches of keys and roles. Each request acquires the leases of the caches first, so an
 * acknowledged change binds the next request (lease.ts). The resolver itself checks what changes with time alone, at
 * each request.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const { sources, environment, cacheSizes = defaultCacheSizes, clock = processClock } = options
  const keys = createKeyCache(sources.apiKey, { clock, ...cacheSizes })
  const roles = createRoleCache(sources.rbac, { clock, ...cacheSizes })
  const tokens = createTokenCache(options.tokens, cacheSizes)
  const keyUsage = createKeyUsage({
    source: sources.apiKey,
    onFailure: options.onKeyUsageFailure,
    keysMax: cacheSizes.keysMax,
  })

  const resolveKey = async (value: string, context: { traceId: string }): Promise<Principal | undefined> => {
    if (parseKeyValue(value)?.environment !== environment) return undefined
    await Promise.all([keys.acquire(), roles.acquire()])
    const key = await keys.get(keyHash(value), context)
    if (key === null || !key.enabled) return undefined
    if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now()) return undefined
    const grant = await roles.get(key.tenant_id, { role_ids: key.role_ids }, context)
    const actor = { type: 'api_key', id: key.api_key_id } as const
    const principal = principalOf(key.tenant_id, actor, grant, key.allowed_cidrs)
    if (principal !== undefined) keyUsage.record(key.api_key_id, key.tenant_id)
    return principal
  }

  const resolveToken = async (token: string, context: { traceId: string }): Promise<Principal | undefined> => {
    const identity = await tokens.verify(token)
    if (identity === undefined) return undefined
    await roles.acquire()
    const grant = await roles.get(identity.tenantId, { role_names: [...identity.roleNames] }, context)
    return principalOf(identity.tenantId, { type: 'user', id: identity.subject }, grant, null)
  }

  return {
    resolve: (bearer, context) => {
      const principal = bearer.startsWith('psk_') ? resolveKey(bearer, context) : resolveToken(bearer, context)
      return principal.catch((error: unknown) => {
        throw unavailable(error)
      })
    },
    close: keyUsage.close,
  }
}

function principalOf(
  tenantId: string,
  actor: Principal['actor'],
  { tenantStatus, permissions }: Grant,
  allowedCidrs: readonly string[] | null,
): Principal | undefined {
  return tenantStatus === 'unknown' ? undefined : { tenantId, tenantStatus, actor, permissions, allowedCidrs }
}

const retryAfterSeconds = 1

/** Without a response that can be used, the gateway admits no request. A problem of the request stays as it is. */
function unavailable(error: unknown): unknown {
  if (error instanceof Problem && error.status < 500) return error
  if (error instanceof Problem && error.code === commonProblems.authorization_unavailable.code) return error
  const detail = 'The permissions of the credential cannot be read at the moment'
  return new Problem(commonProblems.authorization_unavailable, { detail, retryAfterSeconds, cause: error })
}
