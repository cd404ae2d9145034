import type { SqlTx } from './transaction.ts'

/**
 * Advisory locks by name, held until the end of the transaction. A lock belongs to one database; two names of the same
 * 64-bit hash share a lock, which only costs a wait.
 */

/** Waits until no other transaction holds the lock. */
export async function lockForTransaction(tx: SqlTx, name: string): Promise<void> {
  await tx.$executeRawUnsafe('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', name)
}

/** Returns false at once while another transaction holds the lock. */
export async function tryLockForTransaction(tx: SqlTx, name: string): Promise<boolean> {
  const [row] = await tx.$queryRawUnsafe<[{ acquired: boolean }]>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS acquired',
    name,
  )
  return row.acquired
}
