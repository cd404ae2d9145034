import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { TransactionAggregate } from '../domain/transaction.ts'
import type { Tx } from './database.ts'
import { operationsOf } from './operations.ts'
import { findTransaction, lockTransaction } from './transactions.ts'

/**
 * Locks the transaction until the end of the database transaction. Nothing else ends or adds its operations meanwhile;
 * `claimDue` may claim one.
 */
export async function lockAggregate(
  tx: Tx,
  tenantId: string,
  transactionId: string,
): Promise<TransactionAggregate | null> {
  const transaction = await lockTransaction(tx, tenantId, transactionId)
  return transaction === null ? null : { transaction, operations: await operationsOf(tx, tenantId, [transactionId]) }
}

/** As `lockAggregate`. Throws transaction_not_found. */
export async function requireLockedAggregate(
  tx: Tx,
  tenantId: string,
  transactionId: string,
): Promise<TransactionAggregate> {
  const aggregate = await lockAggregate(tx, tenantId, transactionId)
  if (aggregate === null) throw new Problem(problems.transaction_not_found)
  return aggregate
}

export async function findAggregate(
  tx: Tx,
  tenantId: string,
  transactionId: string,
): Promise<TransactionAggregate | null> {
  const transaction = await findTransaction(tx, tenantId, transactionId)
  return transaction === null ? null : { transaction, operations: await operationsOf(tx, tenantId, [transactionId]) }
}
