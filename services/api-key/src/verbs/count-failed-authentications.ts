import type { Deps } from '../deps.ts'
import { addFailures } from '../store/counters.ts'

/** The gateway decides when an address is rejected. */
export async function countFailedAuthentications(
  deps: Deps,
  address: string,
  failures: number,
  windowSeconds: number,
): Promise<{ failures: number; ends_in_seconds: number }> {
  const window = await deps.db.acrossTenants((tx) => addFailures(tx, address, failures, windowSeconds))
  return { failures: window.failures, ends_in_seconds: window.endsInSeconds }
}
