import type { Deps } from '../deps.ts'
import { type KeyUse, recordUses } from '../store/keys.ts'

/** What the gateway saw. A use tells nothing of power: no epoch moves, and the key was not changed. */
export async function recordKeyUses(deps: Deps, uses: readonly KeyUse[]): Promise<{ recorded: number }> {
  return { recorded: await deps.db.acrossTenants((tx) => recordUses(tx, uses)) }
}
