import { requirePrimary } from '@payments/chassis/database/authorization-version'
import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import type { Deps } from '../deps.ts'
import { presentIdentity } from '../domain/session.ts'
import { findIdentityById, findIdentityByIndexes } from '../store/session-identities.ts'

/** The body of the request has one of both. */
interface NamedSession {
  readonly session_hash?: string | undefined
  readonly session_id?: string | undefined
}

/**
 * The session of a session hash or of an id. Null for an unknown or expired session, and for one whose user is disabled
 * or was removed from the tenant. Throws on a server in recovery.
 */
export async function identifySession(
  deps: Deps,
  { session_hash: hash, session_id: id }: NamedSession,
): Promise<{ session: SessionIdentity | null }> {
  const { idleMs } = deps.sessionLimits
  const found = await deps.db.acrossTenants(async (tx) => {
    await requirePrimary(tx)
    if (hash !== undefined) return findIdentityByIndexes(tx, deps.sessionValues.indexes(hash), idleMs)
    return id === undefined ? null : findIdentityById(tx, id, idleMs)
  })
  return { session: found === null ? null : presentIdentity(found, idleMs) }
}
