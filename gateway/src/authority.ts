import type { Client } from '@payments/chassis/client'
import type { apiKey } from '@payments/contracts/api-key'
import { type Environment, keyHandle, parseKeyValue } from '@payments/contracts/key-value'
import type { Permission } from '@payments/contracts/permission'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { rbac } from '@payments/contracts/rbac'
import type { TokenVerifier } from './token.ts'

/** What a credential stands for, at the moment it was asked. */
export interface Judgement {
  readonly tenantId: string
  readonly tenantStatus: 'active' | 'suspended'
  readonly actor: { readonly type: 'api_key' | 'user'; readonly id: string }
  readonly permissions: readonly Permission[]
  /** Where the credential may be used from; null is anywhere. */
  readonly allowedCidrs: readonly string[] | null
}

/** Judges credentials. */
export interface Authority {
  /**
   * undefined where the credential is not good, for whatever reason. Throws authorization_unavailable where an owner
   * does not answer: a request is never let through on a guess.
   */
  judge(bearer: string, context: { traceId: string }): Promise<Judgement | undefined>
}

export interface Owners {
  readonly apiKey: Pick<Client<typeof apiKey>, 'identifyKey'>
  readonly rbac: Pick<Client<typeof rbac>, 'resolveRoles'>
}

interface AuthorityOptions {
  readonly owners: Owners
  readonly tokens: TokenVerifier
  readonly environment: Environment
}

const retryAfterSeconds = 1

/**
 * The authority that asks the owners of keys and roles about every request, so that what they have answered binds the
 * very next one. It remembers nothing.
 */
export function createAuthority({ owners, tokens, environment }: AuthorityOptions): Authority {
  const resolve = async (
    tenantId: string,
    roles: { role_ids: string[] } | { role_names: string[] },
    context: { traceId: string },
  ) => {
    try {
      return await owners.rbac.resolveRoles(context, { params: { tenant_id: tenantId }, body: roles })
    } catch (error) {
      if (error instanceof Problem && error.code === 'tenant_not_found') return undefined
      throw unavailable(error)
    }
  }

  const judgeKey = async (value: string, context: { traceId: string }): Promise<Judgement | undefined> => {
    if (parseKeyValue(value)?.environment !== environment) return undefined
    const body = { handle: keyHandle(value) }
    const { key } = await owners.apiKey.identifyKey(context, { body }).catch((error: unknown) => {
      throw unavailable(error)
    })
    if (key === null || !key.enabled) return undefined
    if (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now()) return undefined
    const granted = await resolve(key.tenant_id, { role_ids: key.role_ids }, context)
    if (granted === undefined) return undefined
    return {
      tenantId: key.tenant_id,
      tenantStatus: granted.tenant_status,
      actor: { type: 'api_key', id: key.api_key_id },
      permissions: granted.permissions,
      allowedCidrs: key.allowed_cidrs,
    }
  }

  const judgeToken = async (token: string, context: { traceId: string }): Promise<Judgement | undefined> => {
    const identity = await tokens.verify(token)
    if (identity === undefined) return undefined
    const granted = await resolve(identity.tenantId, { role_names: [...identity.roleNames] }, context)
    if (granted === undefined) return undefined
    return {
      tenantId: identity.tenantId,
      tenantStatus: granted.tenant_status,
      actor: { type: 'user', id: identity.subject },
      permissions: granted.permissions,
      allowedCidrs: null,
    }
  }

  return {
    judge: (bearer, context) => (bearer.startsWith('psk_') ? judgeKey(bearer, context) : judgeToken(bearer, context)),
  }
}

/** The owner's silence in our words; a fault of ours stays what it is. */
function unavailable(error: unknown): unknown {
  if (!(error instanceof Problem) || error.status < 500) return error
  return new Problem(commonProblems.authorization_unavailable, { retryAfterSeconds, cause: error })
}
