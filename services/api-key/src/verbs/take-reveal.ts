import type { Deps } from '../deps.ts'
import { type RevealLimit, takeRevealAttempt } from '../store/reveal-attempts.ts'

/**
 * The gateway's count of an actor's reveals, over all services. It stands beside the count of this service's own reveals,
 * under a name that no actor has.
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
