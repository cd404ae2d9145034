import type { TransactionAggregate } from '../domain/transaction.ts'
import type { Tx } from './database.ts'
import { operationsOf } from './operations.ts'
import { findTransaction, lockTransaction } from './transactions.ts'

/** Locks the transaction, and with it its operations, until the end of the database transaction. */
export async function lockAggregate(
  tx: Tx,
  tenantId: string,
  transactionId: string,
): Promise<TransactionAggregate | null> {
  const transaction = await lockTransaction(tx, tenantId, transactionId)
  return transaction === null ? null : { transaction, operations: await operationsOf(tx, tenantId, [transactionId]) }
}

export async function findAggregate(
  tx: Tx,
  tenantId: string,
  transactionId: string,
): Promise<TransactionAggregate | null> {
  const transaction = await findTransaction(tx, tenantId, transactionId)
  return transaction === null ? null : { transaction, operations: await operationsOf(tx, tenantId, [transactionId]) }
}
