import { requirePrimary } from '@payments/chassis/database/authorization-version'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import type { Deps } from '../deps.ts'
import { isLive, presentIdentity } from '../domain/session.ts'
import { findMember } from '../store/memberships.ts'
import { findSessionById, findSessionByIndexes } from '../store/sessions.ts'

type Named = { readonly session_hash: string } | { readonly session_id: string }

/**
 * The session of a session hash or of an id. Null for an unknown or expired session, and for one whose user is disabled
 * or was removed from the tenant. Throws on a server in recovery.
 */
export function identifySession(deps: Deps, named: Named): Promise<{ session: SessionIdentity | null }> {
  const { idleMs } = deps.sessionLimits
  return deps.db.acrossTenants(async (tx) => {
    await requirePrimary(tx)
    const session =
      'session_hash' in named
        ? await findSessionByIndexes(tx, deps.sessionValues.indexes(named.session_hash))
        : await findSessionById(tx, named.session_id)
    if (session === null || !isLive(session, await databaseNow(tx), idleMs)) return { session: null }
    const member = await findMember(tx, session.tenantId, session.userId)
    if (member?.enabled !== true) return { session: null }
    return { session: presentIdentity(session, member.roleIds, idleMs) }
  })
}
