import { Pool } from 'pg'
import { poolSettings } from './pool.ts'
import type { SqlTx } from './transaction.ts'

/** The relay runs one statement at a time. */
const sessionsMax = 1

/**
 * A session that sees the rows of all tenants, for statements of the relay. A transaction over all tenants would cost
 * three messages more for each statement.
 */
export function openCrossTenantStatements(url: string): SqlTx & { close(): Promise<void> } {
  const pool = new Pool({
    connectionString: url,
    ...poolSettings,
    max: sessionsMax,
    options: '-c app.tenant_id=*',
  })
  // An idle session that ends must not end the process. The next statement opens another session.
  pool.on('error', () => {})
  return {
    $queryRawUnsafe: async <T>(query: string, ...values: unknown[]) => (await pool.query(query, values)).rows as T,
    $executeRawUnsafe: async (query, ...values) => (await pool.query(query, values)).rowCount ?? 0,
    close: () => pool.end(),
  }
}
