import type { ServiceCaller } from '@payments/chassis/base/caller'
import type { Deps } from '../deps.ts'
import { endSessions } from '../session/end-sessions.ts'
import { findSessions } from '../store/sessions.ts'

/** Sessions of one transaction, which has an event for each. */
const batchMax = 200

/**
 * For operators. Ends the sessions that exist at the start, in several transactions: a tenant can have thousands.
 */
export async function endSessionsOfTenant(
  deps: Deps,
  { traceId }: ServiceCaller,
  tenantId: string,
  userId: string | undefined,
): Promise<{ ended: number }> {
  const sessions = await deps.db.inTenant(tenantId, (tx) => findSessions(tx, tenantId, userId))
  let ended = 0
  for (let from = 0; from < sessions.length; from += batchMax) {
    const batch = sessions.slice(from, from + batchMax)
    ended += await deps.db.inTenant(tenantId, (tx) => endSessions(tx, batch, traceId))
  }
  return { ended }
}
