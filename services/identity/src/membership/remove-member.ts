import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { databaseNow } from '@payments/chassis/database/database-now'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { endSessions } from '../session/end-sessions.ts'
import type { Tx } from '../store/database.ts'
import { removeMembership } from '../store/memberships.ts'
import { findSessions } from '../store/sessions.ts'

/**
 * Removes a user from a tenant and ends their sessions there. The transaction has locked the user, then the membership.
 * The person stays until the purge finds that no tenant has them.
 */
export async function removeMember(
  tx: Tx,
  { tenantId, userId }: { readonly tenantId: string; readonly userId: string },
  traceId: string,
): Promise<undefined> {
  await endSessions(tx, await findSessions(tx, tenantId, [userId]), 'user_removed', traceId)
  await removeMembership(tx, tenantId, userId)
  const payload = { id: userId, deleted_at: (await databaseNow(tx)).toISOString() }
  const type = 'identity.users.delete'
  await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
  recordAuthorizationChange(tx, 'user', [userId])
  return undefined
}
