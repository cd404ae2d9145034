import type { Deps } from '../deps.ts'
import { type RevealLimit, takeRevealAttempt } from '../store/reveal-attempts.ts'

/**
 * Counts a reveal of an actor over all services, for every gateway replica. The counter has a name that no actor has,
 * so it is separate from the counter of reveals of API keys.
 */
export async function takeReveal(
  deps: Deps,
  tenantId: string,
  actor: string,
  limit: RevealLimit,
): Promise<{ retry_after_seconds: number }> {
  const everyService = `every-service ${actor}`
  const seconds = await deps.db.inTenant(tenantId, (tx) => takeRevealAttempt(tx, tenantId, everyService, limit))
  return { retry_after_seconds: seconds }
}
