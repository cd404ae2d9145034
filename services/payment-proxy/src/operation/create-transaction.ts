import type { Caller } from '@payments/chassis/base/caller'
import type { Stored } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { paymentProxy, problems } from '@payments/contracts/services/payment-proxy/contract'
import type { WrittenEvent } from '@payments/messaging/outbox/event-row'
import { handOver } from '@payments/messaging/outbox/hand-over'
import { type Emission, emit, eventRow } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { snapshotOf, type Transaction, type TransactionAggregate } from '../domain/transaction.ts'
import { insertStatement } from '../store/book-statements.ts'
import { isDuplicate, type Tx } from '../store/database.ts'
import { idByReference, insertTransaction } from '../store/transactions.ts'

/** Inserts a new transaction and emits its event. Throws external_reference_taken. */
export async function createTransactionIn(
  tx: Tx,
  context: { traceId: string },
  transaction: Transaction,
  now: Date,
): Promise<TransactionAggregate> {
  if (!(await insertTransaction(tx, transaction.tenantId, transaction))) throw await referenceTaken(tx, transaction)
  const aggregate: TransactionAggregate = { transaction, operations: [] }
  await emit(tx, paymentProxy.events, creationEvent(aggregate, context, now))
  return aggregate
}

type CreationEvent = Emission<typeof paymentProxy.events, 'payment-proxy.transactions.create'>

/** The event of a new transaction, before its first operation. */
export function creationEvent(
  aggregate: TransactionAggregate,
  { traceId }: { traceId: string },
  now: Date,
): CreationEvent {
  const { tenantId, businessUnitId, version } = aggregate.transaction
  const payload = { transaction: snapshotOf(aggregate, now), operation: null, version }
  return { type: 'payment-proxy.transactions.create', tenantId, businessUnitId, traceId, payload }
}

/**
 * Inserts a new transaction with the key of the request and the event, by one statement. False when the key is not new:
 * nothing was written. Throws external_reference_taken.
 */
export async function insertAtOnce(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  aggregate: TransactionAggregate,
  { event: emission, ...key }: { event: CreationEvent; reference?: string; stored?: Stored },
): Promise<boolean> {
  const event = eventRow(db.commits, paymentProxy.events, emission)
  try {
    const [[written] = []] = await db.pipelined<WrittenEvent[][]>(caller.tenantId, [
      insertStatement(caller, aggregate, key, event),
    ])
    if (written === undefined) return false
    handOver(db.commits, event, written)
    return true
  } catch (error) {
    if (!isDuplicate(error, externalReferenceKey)) throw error
    throw await db.readInTenant(caller.tenantId, (tx) => referenceTaken(tx, aggregate.transaction))
  }
}

const externalReferenceKey = 'transactions_tenant_id_business_unit_id_external_reference_key'

/** Names the transaction, so that a caller who lost the response to its creation finds it. */
async function referenceTaken(tx: Tx, transaction: Transaction): Promise<Problem> {
  const { tenantId, externalReference } = transaction
  const id = await idByReference(tx, tenantId, transaction)
  if (id === null) throw new Error('no transaction has the external reference that is in use')
  const detail = `The transaction ${id} of the business unit has the external reference ${externalReference}`
  return new Problem(problems.external_reference_taken, { detail, extensions: { transaction_id: id } })
}
