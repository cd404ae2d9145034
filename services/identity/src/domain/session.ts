import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import type { Session } from '@payments/contracts/services/identity/sessions'

/** Sessions of a person over all tenants. The next one ends the least recently used. */
export const sessionsMax = 10

/** The longest life of a JWT of a session. */
export const tokenLifetimeMs = 15 * 60_000

export interface SessionFacts {
  readonly id: string
  readonly tenantId: string
  readonly userId: string
  readonly kind: 'browser' | 'cli'
  readonly createdAt: Date
  readonly authenticatedAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
  readonly ip: string
  readonly userAgent: string | null
}

export function presentSession(session: SessionFacts, currentId: string | null): Session {
  return {
    ...presentSessionEvent(session).session,
    last_seen_at: session.lastSeenAt.toISOString(),
    ip: session.ip,
    user_agent: session.userAgent,
    current: session.id === currentId,
  }
}

/** The payload of events of a session. */
export function presentSessionEvent(session: SessionFacts) {
  return {
    session: {
      id: session.id,
      kind: session.kind,
      user_id: session.userId,
      created_at: session.createdAt.toISOString(),
      authenticated_at: session.authenticatedAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
    },
  }
}

/** Why a session ended. Its browser gets the reason with the next sign-in, for as long as it keeps the value. */
export type SessionEndReason =
  | 'idle'
  | 'expired'
  | 'ended_by_user'
  | 'ended_by_administrator'
  | 'ended_by_operator'
  | 'ended_by_provider'
  | 'user_disabled'
  | 'user_removed'
  | 'too_many_sessions'

/** `unknown`: the value of the browser was never one of a session, was replaced, or ended long ago. */
export type SessionEnd = SessionEndReason | 'unknown'

/** How long the reason is known, and the browser keeps the value, after the end of a session. */
export const endReasonDays = 1

/** Why the session has ended by itself. Null for a session that has not. */
export function timeoutReason(
  session: Pick<SessionFacts, 'expiresAt' | 'lastSeenAt'>,
  now: Date,
  idleMs: number,
): SessionEndReason | null {
  if (session.expiresAt <= now) return 'expired'
  return idleEnd(session, idleMs) > now ? null : 'idle'
}

/** Whether the session was neither too long without a use, nor has reached its end. */
export const isLive = (...at: Parameters<typeof timeoutReason>): boolean => timeoutReason(...at) === null

const idleEnd = ({ lastSeenAt }: Pick<SessionFacts, 'lastSeenAt'>, idleMs: number): Date =>
  new Date(lastSeenAt.getTime() + idleMs)

/** The gateway authenticates a session by these facts. */
export interface IdentityFacts
  extends Pick<SessionFacts, 'id' | 'tenantId' | 'userId' | 'kind' | 'authenticatedAt' | 'lastSeenAt' | 'expiresAt'> {
  readonly roleIds: readonly string[]
}

export function presentIdentity(session: IdentityFacts, idleMs: number): SessionIdentity {
  return {
    session_id: session.id,
    user_id: session.userId,
    tenant_id: session.tenantId,
    kind: session.kind,
    role_ids: [...session.roleIds],
    authenticated_at: session.authenticatedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    idle_expires_at: idleEnd(session, idleMs).toISOString(),
    idle_seconds: Math.ceil(idleMs / 1_000),
  }
}
