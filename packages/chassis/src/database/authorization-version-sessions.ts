import type { VersionSessions } from './authorization-version.ts'
import { openSessionPool } from './session.ts'

/**
 * Sessions for reads of the authorization version, separate from those of Prisma. While such a read is late, the leases
 * of the gateways expire and requests wait. So it does not queue behind transactions (docs/decisions/0008).
 */
export function openVersionSessions(url: string): VersionSessions & { close(): Promise<void> } {
  const pool = openSessionPool(url, { max: sessionsMax })
  return {
    query: async (statement) => (await pool.statement(statement)).rows,
    close: () => pool.end(),
  }
}

/** Each replica of the gateway has at most one read in progress. */
const sessionsMax = 4
