import type { ServiceCaller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { endSessions } from '../session/end-sessions.ts'
import { listMemberIds, recordEndOfSessions } from '../store/memberships.ts'
import { findSessions } from '../store/sessions.ts'
import { lockUsersOfTenant } from '../store/users.ts'

/** Users of one transaction, which has an event for each session: at most ten of a user. */
const batchMax = 20

/**
 * For operators. Ends the sessions of the users that the tenant has at the start, in several transactions: a tenant can
 * have thousands. Each locks its users, so no step-up or switch of tenant carries a session past the end.
 */
export async function endSessionsOfTenant(
  deps: Deps,
  { traceId }: ServiceCaller,
  tenantId: string,
  userId: string | undefined,
): Promise<{ ended: number }> {
  const userIds =
    userId === undefined ? await deps.db.readInTenant(tenantId, (tx) => listMemberIds(tx, tenantId)) : [userId]
  let ended = 0
  for (let from = 0; from < userIds.length; from += batchMax) {
    const batch = userIds.slice(from, from + batchMax)
    ended += await deps.db.inTenant(tenantId, async (tx) => {
      await lockUsersOfTenant(tx, tenantId, batch)
      await recordEndOfSessions(tx, tenantId, batch)
      return endSessions(tx, await findSessions(tx, tenantId, batch), 'ended_by_operator', traceId)
    })
  }
  return { ended }
}
