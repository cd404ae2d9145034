import { Pool } from 'pg'
import type { VersionSessions } from './authorization-version.ts'
import { poolSettings } from './pool.ts'

/**
 * Sessions for reads of the authorization version, separate from those of Prisma. While such a read is late, the leases
 * of the gateways expire and requests wait. So it does not queue behind transactions (docs/decisions/0008).
 */
export function openVersionSessions(url: string): VersionSessions & { close(): Promise<void> } {
  const pool = new Pool({ connectionString: url, max: sessionsMax, ...poolSettings })
  // An idle session that ends must not end the process. The next read opens another session.
  pool.on('error', () => {})
  return {
    queryPrepared: async ({ name, text, values }) => (await pool.query({ name, text, values: [...values] })).rows,
    close: () => pool.end(),
  }
}

/** Each replica of the gateway has at most one read in progress. */
const sessionsMax = 4
