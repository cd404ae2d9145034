import type { Caller } from '@payments/chassis/caller'
import { paymentProxy, problems } from '@payments/contracts/payment-proxy'
import { Problem } from '@payments/contracts/problem'
import { emit } from '@payments/messaging/outbox'
import { type Account, snapshotOf, type Transaction } from '../domain/transaction.ts'
import type { Tx } from '../store/database.ts'
import { insertTransaction } from '../store/transactions.ts'

/** Writes a new transaction and tells of it. Throws external_reference_taken. */
export async function openAccount(tx: Tx, caller: Caller, transaction: Transaction, now: Date): Promise<Account> {
  const { tenantId, businessUnitId, version } = transaction
  if (!(await insertTransaction(tx, tenantId, transaction))) throw new Problem(problems.external_reference_taken)
  const account: Account = { transaction, operations: [] }
  const payload = { transaction: snapshotOf(account, now), operation: null, version }
  const type = 'payment-proxy.transactions.create'
  await emit(tx, paymentProxy.events, { type, tenantId, businessUnitId, traceId: caller.traceId, payload })
  return account
}
