import { Pool } from 'pg'
import type { VersionSessions } from './authorization-version.ts'
import { poolSettings } from './pool.ts'

/**
 * Sessions for reads of the authorization version (authorization-version.ts), separate from those of Prisma. Each
 * request to a gateway waits for such a read. The read therefore uses a prepared statement and the driver alone, and
 * does not queue behind transactions (docs/decisions/0008).
 */
export function openVersionSessions(url: string): VersionSessions & { close(): Promise<void> } {
  const pool = new Pool({ connectionString: url, max: sessionsMax, ...poolSettings })
  // An idle session that ends must not end the process. The next read opens another session.
  pool.on('error', () => {})
  return {
    $queryRawUnsafe: async <T>(text: string, ...values: unknown[]) =>
      (await pool.query({ name: 'read_authorization_epoch', text, values })).rows as T,
    close: () => pool.end(),
  }
}

/** Each replica of the gateway has one read in progress. */
const sessionsMax = 4
