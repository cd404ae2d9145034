import type { SqlTx, Transactions } from '@payments/chassis/transaction'

/**
 * Opens `count` connections of a service's pool. A pool opens them as they are needed, which takes longer than a request
 * does: without this, requests that a test sends at once run one after the other on the first connection, and a race
 * between them is never seen. Throws where the pool is smaller than `count`.
 */
export async function openConnections(db: Transactions<SqlTx>, count: number): Promise<void> {
  let open = 0
  let meet: () => void = () => {}
  const everyone = new Promise<void>((resolve) => {
    meet = resolve
  })
  const hold = async (tx: SqlTx) => {
    await tx.$queryRawUnsafe('SELECT 1')
    open += 1
    if (open === count) meet()
    await everyone
  }
  await Promise.all(Array.from({ length: count }, () => db.acrossTenants(hold))).finally(meet)
}
