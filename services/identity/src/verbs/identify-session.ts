import { readOnPrimary } from '@payments/chassis/database/authorization-version'
import { allTenants } from '@payments/chassis/database/scope'
import type { Statement } from '@payments/chassis/database/statement'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import type { Deps } from '../deps.ts'
import { type IdentityFacts, presentIdentity } from '../domain/session.ts'
import { selectIdentityById, selectIdentityByIndexes } from '../store/session-identities.ts'

type NamedSession = RequestOf<typeof identityContract.endpoints.identifySession>['body']

/**
 * The session of a session hash or of an id. Null for an unknown or expired session, and for one whose user is disabled
 * or was removed from the tenant. Throws on a server in recovery.
 */
export async function identifySession(deps: Deps, named: NamedSession): Promise<{ session: SessionIdentity | null }> {
  const [[found] = []] = await readOnPrimary<IdentityFacts[][]>(deps.db, allTenants, selectIdentity(deps, named))
  return { session: found === undefined ? null : presentIdentity(found, deps.sessionLimits.idleMs) }
}

function selectIdentity(deps: Deps, { session_hash: hash, session_id: id }: NamedSession): Statement[] {
  const { idleMs } = deps.sessionLimits
  if (hash !== undefined) return [selectIdentityByIndexes(deps.sessionValues.indexes(hash), idleMs)]
  return id === undefined ? [] : [selectIdentityById(id, idleMs)]
}
