import { requirePrimary } from '@payments/chassis/database/authorization-version'
import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import type { Deps } from '../deps.ts'
import { presentIdentity } from '../domain/session.ts'
import { findIdentityById, findIdentityByIndexes } from '../store/session-identities.ts'

type Named = { readonly session_hash: string } | { readonly session_id: string }

/**
 * The session of a session hash or of an id. Null for an unknown or expired session, and for one whose user is disabled
 * or was removed from the tenant. Throws on a server in recovery.
 */
export async function identifySession(deps: Deps, named: Named): Promise<{ session: SessionIdentity | null }> {
  const { idleMs } = deps.sessionLimits
  const found = await deps.db.acrossTenants(async (tx) => {
    await requirePrimary(tx)
    return 'session_hash' in named
      ? findIdentityByIndexes(tx, deps.sessionValues.indexes(named.session_hash), idleMs)
      : findIdentityById(tx, named.session_id, idleMs)
  })
  return { session: found === null ? null : presentIdentity(found, idleMs) }
}
