import type { Deps } from '../deps.ts'
import { type RevealLimit, takeRevealAttempt } from '../store/counters.ts'

/** Counts a reveal of an actor over all services, for every gateway replica: the only limit of reveals. */
export async function takeReveal(
  deps: Deps,
  tenantId: string,
  actor: string,
  limit: RevealLimit,
): Promise<{ retry_after_seconds: number }> {
  const seconds = await deps.db.inTenant(tenantId, (tx) => takeRevealAttempt(tx, tenantId, actor, limit))
  return { retry_after_seconds: seconds }
}
