import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'

/**
 * Opens `count` connections of the pool of a service. A pool opens connections on demand, which takes longer than a
 * request. Without this, concurrent requests of a test run one after the other on the first connection, and the test
 * misses their race. Throws when the pool is smaller than `count`.
 */
export async function openConnections(db: Transactions<SqlTx>, count: number): Promise<void> {
  const { promise: allOpen, resolve: letGo } = Promise.withResolvers<void>()
  const holds: Promise<void>[] = []
  const hold = () =>
    new Promise<void>((opened, failed) => {
      const held = db.acrossTenants(async (tx) => {
        await tx.$queryRawUnsafe('SELECT 1')
        opened()
        await allOpen
      })
      holds.push(held)
      held.catch(failed)
    })
  try {
    while (holds.length < count) await hold()
  } finally {
    letGo()
    await Promise.allSettled(holds)
  }
}
