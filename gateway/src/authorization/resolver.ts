import { newId } from '@payments/chassis/base/id'
import type { Client } from '@payments/chassis/client/client'
import type { Log } from '@payments/chassis/observability/log'
import { type Environment, keyHash, parseKeyValue } from '@payments/contracts/grammar/key-value'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { sessionPrefix } from '@payments/contracts/grammar/session-value'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import { type Clock, processClock } from './clock.ts'
import { createCredentialUsage } from './credential-usage.ts'
import type { TokenVerifier } from './jwt-verifier.ts'
import { createKeyCache, type KeySource } from './key-cache.ts'
import { type Credential, createPrincipal, type Principal } from './principal.ts'
import { createRoleCache, type RoleSource } from './role-cache.ts'
import { createSessionResolver, type IdentitySource } from './session-resolver.ts'
import { createTokenCache } from './token-cache.ts'

export interface Resolver {
  /**
   * undefined for a credential that is not valid, for any reason. Throws authorization_unavailable when an
   * authorization source does not respond: the gateway admits no request without a response.
   */
  resolve(credential: Credential, context: { traceId: string }): Promise<Principal | undefined>
  /** Flushes the uses of keys and sessions. */
  close(): Promise<void>
}

export interface AuthorizationSources {
  readonly apiKey: KeySource & Pick<Client<typeof apiKey>, 'recordKeyUses'>
  readonly identity: IdentitySource
  readonly rbac: RoleSource
}

interface ResolverOptions {
  readonly sources: AuthorizationSources
  readonly tokens: TokenVerifier
  readonly environment: Environment
  readonly log: Log
  readonly cacheSizes?: CacheSizes
  readonly clock?: Clock
}

/** Maximum entries of each cache. The least recently used entry is evicted first. */
interface CacheSizes {
  readonly keysMax: number
  readonly unknownHashesMax: number
  readonly sessionsMax: number
  readonly grantsMax: number
  readonly tokensMax: number
}

const defaultCacheSizes: CacheSizes = {
  keysMax: 100_000,
  unknownHashesMax: 20_000,
  sessionsMax: 20_000,
  grantsMax: 100_000,
  tokensMax: 20_000,
}

/**
 * Resolves credentials from caches of keys, sessions and roles. Each request first acquires the leases of the caches
 * that its credential needs, so an acknowledged change binds the next request (lease.ts): without a session, none of
 * identity. The resolver itself checks what changes with time alone, at each request.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const { sources, environment, log, cacheSizes = defaultCacheSizes, clock = processClock } = options
  const keys = createKeyCache(sources.apiKey, { clock, ...cacheSizes })
  const roles = createRoleCache(sources.rbac, { clock, ...cacheSizes })
  const tokens = createTokenCache(options.tokens, cacheSizes)
  const keyUsage = createCredentialUsage({
    name: 'record uses of API keys',
    send: (recorded) => {
      const uses = recorded.map(({ id, ...use }) => ({ api_key_id: id, ...use }))
      return sources.apiKey.recordKeyUses({ traceId: newId() }, { body: { uses } })
    },
    credentialsMax: cacheSizes.keysMax,
    log,
  })
  const sessions = createSessionResolver({
    source: sources.identity,
    roles,
    environment,
    clock,
    log,
    ...cacheSizes,
  })

  const resolveKey = async (value: string, context: { traceId: string }): Promise<Principal | undefined> => {
    if (parseKeyValue(value)?.environment !== environment) return undefined
    await Promise.all([keys.acquire(), roles.acquire()])
    const key = await keys.get(keyHash(value), context)
    if (key === null || !key.enabled) return undefined
    if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now()) return undefined
    const { api_key_id: id, tenant_id: tenantId, allowed_cidrs: allowedCidrs } = key
    const grant = await roles.get(tenantId, { role_ids: key.role_ids }, context)
    const principal = createPrincipal({ tenantId, actor: { type: 'api_key', id }, allowedCidrs }, grant)
    if (principal !== undefined) keyUsage.record(id, tenantId)
    return principal
  }

  const resolveToken = async (token: string, context: { traceId: string }): Promise<Principal | undefined> => {
    const identity = await tokens.verify(token)
    if (identity === undefined) return undefined
    if ('sessionId' in identity) return sessions.resolveToken(identity, context)
    await roles.acquire()
    const { tenantId, subject, roleNames } = identity
    const grant = await roles.get(tenantId, { role_names: [...roleNames] }, context)
    return createPrincipal({ tenantId, actor: { type: 'user', id: subject }, allowedCidrs: null }, grant)
  }

  const resolve = (credential: Credential, context: { traceId: string }) => {
    const { kind, value } = credential
    if (kind === 'cookie' || value.startsWith(`${sessionPrefix}_`)) return sessions.resolveValue(credential, context)
    return value.startsWith('psk_') ? resolveKey(value, context) : resolveToken(value, context)
  }

  return {
    resolve: (credential, context) =>
      resolve(credential, context).catch((error: unknown) => {
        throw toUnavailable(error)
      }),
    close: async () => void (await Promise.all([keyUsage.close(), sessions.close()])),
  }
}

const retryAfterSeconds = 1

/** Without a response that can be used, the gateway admits no request. A problem of the request stays as it is. */
function toUnavailable(error: unknown): unknown {
  if (error instanceof Problem && error.status < 500) return error
  if (error instanceof Problem && error.code === commonProblems.authorization_unavailable.code) return error
  const detail = 'The permissions of the credential cannot be read at the moment'
  return new Problem(commonProblems.authorization_unavailable, { detail, retryAfterSeconds, cause: error })
}
