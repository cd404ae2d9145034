import type { Deps } from '../deps.ts'
import { type KeyUse, recordUses } from '../store/keys.ts'

/** Records uses that the gateway reports. A use does not increment the epoch, and leaves `updated_at` unchanged. */
export async function recordKeyUses(deps: Deps, uses: readonly KeyUse[]): Promise<{ recorded: number }> {
  return { recorded: await deps.db.acrossTenants((tx) => recordUses(tx, uses)) }
}
