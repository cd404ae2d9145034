import type { SqlTx, Transactions } from '@payments/chassis/transaction'

/**
 * Opens `count` connections of a service's pool, one after the other. A pool opens them as they are needed, which takes longer
 * than a request does: without this, requests that a test sends at once run one after the other on the first connection, and a
 * race between them is never seen. Throws where the pool is smaller than `count`.
 */
export async function openConnections(db: Transactions<SqlTx>, count: number): Promise<void> {
  let letGo = () => {}
  const allOpen = new Promise<void>((resolve) => {
    letGo = resolve
  })
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
