import { Pool } from 'pg'
import type { VersionSessions } from './authorization-version.ts'
import { poolSettings } from './pool.ts'

/**
 * The sessions that epochs are read by (epoch.ts), beside those that Prisma has: every request that any gateway judges waits for such a
 * read, so it has its statement prepared, goes through nothing but the driver, and queues behind no transaction
 * (docs/decisions/0008).
 */
export function openVersionSessions(url: string): VersionSessions & { close(): Promise<void> } {
  const pool = new Pool({ connectionString: url, max: sessionsMax, ...poolSettings })
  // Prisma's adapter does so for its own: the next read opens another.
  pool.on('error', () => {})
  return {
    $queryRawUnsafe: async <T>(text: string, ...values: unknown[]) =>
      (await pool.query({ name: 'read_authorization_epoch', text, values })).rows as T,
    close: () => pool.end(),
  }
}

/** A replica of the gateway has one read under way. */
const sessionsMax = 4
