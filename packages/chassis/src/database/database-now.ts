import type { SqlTx } from './transaction.ts'

/** The clock of the database, which every process shares. Later than the start of the transaction. */
export async function databaseNow(tx: SqlTx): Promise<Date> {
  const [row] = await tx.$queryRawUnsafe<[{ now: Date }]>('SELECT clock_timestamp() AS now')
  return row.now
}
