import type { SessionPool } from '@payments/chassis/database/session'
import { Commits, type SqlTx, type Transactions, transactions } from '@payments/chassis/database/transaction'

/** A pool with the interface that the chassis requires of Prisma. */
export function poolAsDatabase(pool: SessionPool) {
  return {
    async $transaction<R>(work: (tx: SqlTx) => Promise<R>): Promise<R> {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const result = await work({
          $queryRawUnsafe: async <T>(query: string, ...values: unknown[]) =>
            (await client.query(query, values)).rows as T,
          $executeRawUnsafe: async (query, ...values) => (await client.query(query, values)).rowCount ?? 0,
        })
        await client.query('COMMIT')
        return result
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      } finally {
        client.release()
      }
    },
  }
}

/** As Prisma uses the pool: with a transaction for `work`, and without one for reads. */
export function databaseOn(sessions: SessionPool): Transactions<SqlTx> {
  const run = (text: string, values: unknown[]) =>
    sessions.query({ text, values }) as unknown as Promise<{ rows: unknown; rowCount: number | null }>
  return transactions<SqlTx>(poolAsDatabase(sessions), {
    commits: new Commits(),
    pipeline: (tenantId, statements) => sessions.pipeline(tenantId, statements),
    reader: {
      $queryRawUnsafe: async <T>(text: string, ...values: unknown[]) => (await run(text, values)).rows as T,
      $executeRawUnsafe: async (text, ...values) => (await run(text, values)).rowCount ?? 0,
    },
  })
}
