import type { Permission } from '@payments/contracts/grammar/permission'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { type Grant, grantedRoleIds } from './role-cache.ts'

/** The credential of a request: the token of `Authorization: Bearer`, or the cookie of a browser session. */
export interface Credential {
  readonly kind: 'bearer' | 'cookie'
  readonly value: string
  /** Whether a page sent the request by itself: it is no use of the session. */
  readonly isIdle?: boolean
}

/** The authenticated caller, as of the moment of the call of `resolve`. */
export interface Principal extends SessionProperties {
  readonly tenantId: string
  readonly tenantStatus: 'active' | 'suspended'
  readonly actor: { readonly type: 'api_key' | 'user'; readonly id: string }
  readonly permissions: readonly Permission[]
  /** Roles of the credential that the tenant has. */
  readonly roleIds: readonly string[]
  /** In the order of `roleIds`. */
  readonly roleNames: readonly string[]
  /** Networks from which the credential is accepted; null accepts every address. */
  readonly allowedCidrs: readonly string[] | null
}

interface SessionProperties {
  /** null for an API key and the JWT of another issuer. */
  readonly sessionId: string | null
  /** Whether the credential is the JWT of the session. */
  readonly isSessionToken: boolean
  /** When the user of the session last signed in or stepped up. null without a session. */
  readonly authenticatedAt: string | null
  /** The program of a person that sent the request. null for a program: an API key or a JWT. */
  readonly client: AuditRecord['client']
}

export const withoutSession: SessionProperties = {
  sessionId: null,
  isSessionToken: false,
  authenticatedAt: null,
  client: null,
}

type Owner = Pick<Principal, 'tenantId' | 'actor' | 'allowedCidrs'>

/** undefined when the tenant does not exist. */
export function createPrincipal(owner: Owner, grant: Grant, session = withoutSession): Principal | undefined {
  const { tenantStatus, permissions, roleNames } = grant
  if (tenantStatus === 'unknown') return undefined
  const { tenantId, actor, allowedCidrs } = owner
  const roleIds = grantedRoleIds(grant)
  return { tenantId, tenantStatus, actor, permissions, roleIds, roleNames, allowedCidrs, ...session }
}
