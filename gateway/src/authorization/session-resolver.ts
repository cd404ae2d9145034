import { newId } from '@payments/chassis/base/id'
import type { Client } from '@payments/chassis/client/client'
import type { Log } from '@payments/chassis/observability/log'
import { type Environment, keyHash } from '@payments/contracts/grammar/key-value'
import { parseSessionValue } from '@payments/contracts/grammar/session-value'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import type { Clock } from './clock.ts'
import { createCredentialUsage } from './credential-usage.ts'
import type { SessionToken } from './jwt-verifier.ts'
import { type Credential, createPrincipal, type Principal } from './principal.ts'
import type { RoleCache } from './role-cache.ts'
import { createSessionCache, type SessionKey, type SessionSource } from './session-cache.ts'

export type IdentitySource = SessionSource & Pick<Client<typeof identityContract>, 'recordSessionUses'>

type Context = { readonly traceId: string }

interface SessionResolverOptions {
  readonly source: IdentitySource
  readonly roles: RoleCache
  readonly environment: Environment
  readonly clock: Clock
  readonly sessionsMax: number
  readonly log: Log
}

/** A session as a request presents it. */
interface Presented {
  /** Whether the credential may present this session. */
  readonly accepts: (session: SessionIdentity) => boolean
  /** The client that the audit names. */
  readonly client: Principal['client']
  readonly isSessionToken: boolean
  /** The request prolongs the session. */
  readonly isUse: boolean
}

/** Resolves sessions: a browser session by its cookie, a cli session by its value, each by a JWT that names it. */
export function createSessionResolver(options: SessionResolverOptions) {
  const { source, roles, environment, clock, sessionsMax } = options
  const sessions = createSessionCache(source, { clock, sessionsMax })
  const usage = createCredentialUsage({
    name: 'record uses of sessions',
    send: (recorded) => {
      const uses = recorded.map(({ id, ...use }) => ({ session_id: id, ...use }))
      return source.recordSessionUses({ traceId: newId() }, { body: { uses } })
    },
    credentialsMax: sessionsMax,
    log: options.log,
  })
  const resolve = async (
    key: SessionKey,
    { accepts, client, isSessionToken, isUse }: Presented,
    context: Context,
  ): Promise<Principal | undefined> => {
    await Promise.all([sessions.acquire(), roles.acquire()])
    const session = await sessions.get(key, context)
    if (session === null || !accepts(session)) return undefined
    const { session_id: sessionId, tenant_id: tenantId, role_ids, authenticated_at: authenticatedAt } = session
    const grant = await roles.get(tenantId, { role_ids }, context)
    const owner = { tenantId, actor: { type: 'user', id: session.user_id }, allowedCidrs: null } as const
    const principal = createPrincipal(owner, grant, { sessionId, isSessionToken, authenticatedAt, client })
    if (principal === undefined || !isUse) return principal
    sessions.recordUse(sessionId)
    usage.record(sessionId, tenantId)
    return principal
  }
  return {
    async resolveValue({ kind, value, isIdle = false }: Credential, context: Context) {
      if (parseSessionValue(value)?.environment !== environment) return undefined
      // A browser sends its session as a cookie, which no script can read: in Authorization, such a session was stolen.
      const [sessionKind, client] = kind === 'cookie' ? (['browser', 'console'] as const) : (['cli', 'cli'] as const)
      const accepts = (session: SessionIdentity) => session.kind === sessionKind
      const presented = { accepts, client, isSessionToken: false, isUse: !isIdle }
      return resolve({ session_hash: keyHash(value) }, presented, context)
    },
    /**
     * The session names tenant and roles now; the token does not. A use of the token is no use of the session: a stolen
     * token does not keep the session from ending.
     */
    resolveToken({ sessionId, subject }: SessionToken, context: Context) {
      const accepts = ({ user_id: userId }: SessionIdentity) => userId === subject
      return resolve({ session_id: sessionId }, { accepts, client: null, isSessionToken: true, isUse: false }, context)
    },
    /** Flushes the uses of sessions. */
    close: usage.close,
  }
}
