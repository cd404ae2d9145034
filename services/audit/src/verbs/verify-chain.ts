import type { Deps } from '../deps.ts'
import { verifyRange } from '../verification/verify-range.ts'

/** Verifies one range of a chain, on one snapshot of the database. Throws chain_not_found. */
export function verifyChain(deps: Deps, tenantId: string, afterSequence: number) {
  return deps.db.inTenant(tenantId, (tx) => verifyRange(tx, deps, tenantId, afterSequence), {
    isolationLevel: 'RepeatableRead',
  })
}
