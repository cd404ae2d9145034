import { Problem } from '@payments/contracts/grammar/problem'
import { paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import { snapshotOf, type Transaction, type TransactionAggregate } from '../domain/transaction.ts'
import type { Tx } from '../store/database.ts'
import { insertTransaction } from '../store/transactions.ts'

/** Inserts a new transaction and emits its event. Throws external_reference_taken. */
export async function createTransactionIn(
  tx: Tx,
  { traceId }: { traceId: string },
  transaction: Transaction,
  now: Date,
): Promise<TransactionAggregate> {
  const { tenantId, businessUnitId, externalReference, version } = transaction
  if (!(await insertTransaction(tx, tenantId, transaction))) {
    const detail = `Another transaction of the business unit has the external reference ${externalReference}`
    throw new Problem(problems.external_reference_taken, { detail })
  }
  const aggregate: TransactionAggregate = { transaction, operations: [] }
  const payload = { transaction: snapshotOf(aggregate, now), operation: null, version }
  const type = 'payment-proxy.transactions.create'
  await emit(tx, paymentProxy.events, { type, tenantId, businessUnitId, traceId, payload })
  return aggregate
}
