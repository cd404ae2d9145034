import type { Caller } from '@payments/chassis/base/caller'
import { EndedCredential } from '@payments/chassis/base/ended-credential'
import { databaseNow } from '@payments/chassis/database/database-now'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/identity/problems'
import type { Deps } from '../deps.ts'
import { isLive, tokenLifetimeMs } from '../domain/session.ts'
import { findSession } from '../store/sessions.ts'

/**
 * A session token gets no other one, so it ends within 15 minutes.
 * Throws session_required; invalid_credentials when the session ended after its authentication.
 */
export async function createSessionToken(deps: Deps, caller: Caller) {
  const { tenantId, sessionId, isSessionToken } = caller
  if (sessionId === null || isSessionToken) throw new Problem(problems.session_required)
  const { session, now } = await deps.db.readInTenant(tenantId, async (tx) => ({
    session: await findSession(tx, tenantId, sessionId),
    now: await databaseNow(tx),
  }))
  if (session === null || !isLive(session, now, deps.sessionLimits.idleMs)) throw new EndedCredential()
  // `exp` has whole seconds.
  const endsAtMs = Math.min(now.getTime() + tokenLifetimeMs, session.expiresAt.getTime())
  const expiresAt = new Date(Math.floor(endsAtMs / 1_000) * 1_000)
  const token = await deps.sessionTokens.sign({ sessionId, userId: session.userId, expiresAt })
  return { token, token_type: 'Bearer' as const, expires_at: expiresAt.toISOString() }
}
