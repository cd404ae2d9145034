import type { SessionPool } from '@payments/chassis/database/session'
import type { SqlTx } from '@payments/chassis/database/transaction'

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
