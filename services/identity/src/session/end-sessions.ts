import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { presentSessionEvent, type SessionEndReason } from '../domain/session.ts'
import type { Tx } from '../store/database.ts'
import { deleteSessions, type SessionRow } from '../store/sessions.ts'

/**
 * Ends sessions, so that the next request with one of them is rejected. Their browsers get the reason; null: they need
 * none. Skips those that another transaction ended meanwhile. Returns the number of ended sessions.
 */
export async function endSessions(
  tx: Tx,
  sessions: readonly SessionRow[],
  reason: SessionEndReason | null,
  traceId: string,
): Promise<number> {
  if (sessions.length === 0) return 0
  const ids = sessions.map(({ id }) => id)
  const ended = new Set(await deleteSessions(tx, ids, reason))
  for (const session of sessions.filter(({ id }) => ended.has(id))) {
    const { tenantId } = session
    const payload = presentSessionEvent(session)
    const type = 'identity.sessions.end'
    await emit(tx, identityContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
  }
  if (ended.size > 0) recordAuthorizationChange(tx, 'session', [...ended])
  return ended.size
}
