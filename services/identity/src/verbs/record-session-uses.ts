import type { Deps } from '../deps.ts'
import { recordUses } from '../store/sessions.ts'

/** Records uses that the gateway reports. A use does not increment the epoch. */
export async function recordSessionUses(
  { db }: Deps,
  uses: Parameters<typeof recordUses>[1],
): Promise<{ recorded: number }> {
  return { recorded: await db.acrossTenants((tx) => recordUses(tx, uses)) }
}
