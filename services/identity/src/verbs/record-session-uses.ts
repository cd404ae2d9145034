import type { Deps } from '../deps.ts'
import { recordUses, type SessionUse } from '../store/sessions.ts'

/** Records uses that the gateway reports. A use does not increment the epoch. */
export async function recordSessionUses(deps: Deps, uses: readonly SessionUse[]): Promise<{ recorded: number }> {
  return { recorded: await deps.db.acrossTenants((tx) => recordUses(tx, uses)) }
}
