import type { Deps } from '../deps.ts'
import { recordUses } from '../store/sessions.ts'

interface ReportedUse {
  readonly session_id: string
  readonly tenant_id: string
  readonly used_at: Date
}

/** Records uses that the gateway reports. A use does not increment the epoch. */
export async function recordSessionUses({ db }: Deps, reported: readonly ReportedUse[]): Promise<{ recorded: number }> {
  const uses = reported.map((use) => ({ sessionId: use.session_id, tenantId: use.tenant_id, usedAt: use.used_at }))
  return { recorded: await db.acrossTenants((tx) => recordUses(tx, uses)) }
}
