import { newId } from '@payments/chassis/base/id'
import { databaseNow } from '@payments/chassis/database/database-now'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { presentSessionEvent, sessionsMax } from '../domain/session.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import type { Tx } from '../store/database.ts'
import { recordSignIn } from '../store/memberships.ts'
import { insertSession, listSessionsOfPerson, type SessionRow } from '../store/sessions.ts'
import { lockUser } from '../store/users.ts'
import { endSessions } from './end-sessions.ts'

interface NewSession {
  readonly userId: string
  readonly tenantId: string
  readonly kind: 'browser' | 'cli'
  readonly signedIn: {
    readonly providerId: string
    readonly issuer: string
    readonly subject: string
    readonly providerSessionId: string | null
    readonly authenticatedAt: Date
  }
  readonly browser: { readonly address: string; readonly userAgent: string | null }
  /** The session ends then at the latest: it continues one that began earlier. */
  readonly endsBy?: Date
  readonly traceId: string
}

const userAgentCharactersMax = 512

/**
 * Creates a session, in a transaction across tenants, and returns its value, which is not stored. A person has at most
 * `sessionsMax` sessions: the least recently used ones end. Locks the person, so concurrent sign-ins cannot exceed the
 * limit together. Throws SignInFailed for a user whom another transaction has disabled or removed.
 */
export async function createSession(
  tx: Tx,
  deps: Pick<Deps, 'sessionValues' | 'sessionLimits'>,
  { userId, tenantId, kind, signedIn, browser, endsBy, traceId }: NewSession,
): Promise<{ value: string; session: SessionRow }> {
  const user = await lockUser(tx, userId)
  const now = await databaseNow(tx)
  const isMember = user !== null && (await recordSignIn(tx, tenantId, userId, now))
  if (!isMember) throw new SignInFailed('disabled')
  const others = await listSessionsOfPerson(tx, userId)
  const excess = others.slice(0, Math.max(0, others.length - sessionsMax + 1))
  await endSessions(tx, excess, 'too_many_sessions', traceId)
  const lifetimeEnd = new Date(now.getTime() + deps.sessionLimits.lifetimeMs)
  const { value, ...index } = deps.sessionValues.generate()
  const session = await insertSession(tx, {
    ...index,
    ...signedIn,
    id: newId(),
    tenantId,
    userId,
    kind,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: endsBy === undefined || endsBy > lifetimeEnd ? lifetimeEnd : endsBy,
    ip: browser.address,
    userAgent: browser.userAgent?.slice(0, userAgentCharactersMax) ?? null,
  })
  const payload = presentSessionEvent(session)
  const type = 'identity.sessions.create'
  await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
  return { value, session }
}
