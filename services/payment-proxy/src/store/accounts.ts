import type { Account } from '../domain/transaction.ts'
import type { Tx } from './database.ts'
import { operationsOf } from './operations.ts'
import { findTransaction, lockTransaction } from './transactions.ts'

/** Nobody else changes the transaction or its operations until the end of the database transaction. */
export async function lockAccount(tx: Tx, tenantId: string, transactionId: string): Promise<Account | null> {
  const transaction = await lockTransaction(tx, tenantId, transactionId)
  return transaction === null ? null : { transaction, operations: await operationsOf(tx, tenantId, [transactionId]) }
}

export async function findAccount(tx: Tx, tenantId: string, transactionId: string): Promise<Account | null> {
  const transaction = await findTransaction(tx, tenantId, transactionId)
  return transaction === null ? null : { transaction, operations: await operationsOf(tx, tenantId, [transactionId]) }
}
