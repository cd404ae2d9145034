import { bytesSql, partOfList, type SizedTable } from '@payments/chassis/database/list-part'
import type { ListPart } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import sql from 'sql-template-tag'
import type { ShownTransaction, TransactionAggregate } from '../domain/transaction.ts'
import type { TransactionModel } from '../generated/models.ts'
import type { Database, Tx, WithText } from './database.ts'
import { operationsIn, operationsOf, selectOperationsOf, shownBytes, shownOperationsOf } from './operations.ts'
import { findTransaction, lockTransaction, transactionOf } from './transactions.ts'

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

export async function findShown(tx: Tx, tenantId: string, transactionId: string): Promise<ShownTransaction | null> {
  return (await listShown(tx, tenantId, [transactionId], 'asc'))[0] ?? null
}

const sized: SizedTable = {
  table: 'transactions',
  bytes: `${bytesSql(['items', 'customer_details', 'metadata', 'invitation'])}
    + (SELECT coalesce(sum(${shownBytes}), 0) FROM operations AS o
       WHERE o.tenant_id = transactions.tenant_id AND o.transaction_id = transactions.id)`,
}

interface Listed {
  readonly ids: readonly string[]
  readonly limit: number
  /** Of the ids. */
  readonly order: 'asc' | 'desc'
}

/** Part of a list of transactions. `ids`: one more than `limit`, where the list has more; unknown ids are skipped. */
export function shownPart(
  tx: Tx,
  tenantId: string,
  { order, ...list }: Listed,
): Promise<ListPart<ShownTransaction, string>> {
  return partOfList(tx, tenantId, { of: sized, ...list }, (ids) => listShown(tx, tenantId, ids, order))
}

async function listShown(tx: Tx, tenantId: string, ids: string[], order: Listed['order']): Promise<ShownTransaction[]> {
  const rows = await tx.transaction.findMany({ where: { tenantId, id: { in: ids } }, orderBy: { id: order } })
  const operations = await shownOperationsOf(tx, tenantId, ids)
  return rows.map((row) => ({ transaction: transactionOf(row), operations: operations.get(row.id) ?? [] }))
}

/** A transaction with its operations, and its payment orchestrator: null without a copy of the business unit. */
export interface PaymentState {
  readonly aggregate: TransactionAggregate
  readonly orchestrator: PaymentOrchestrator | null
}

/**
 * Reads without a lock, in one round trip. The rows may be of different instants: a statement that writes checks the
 * version of the transaction. Null without a transaction.
 */
export async function readPaymentState(
  db: Pick<Database, 'pipelined'>,
  tenantId: string,
  transactionId: string,
): Promise<PaymentState | null> {
  const statements = [
    sql`
      SELECT id, tenant_id AS "tenantId", business_unit_id AS "businessUnitId",
        payment_orchestrator_id AS "paymentOrchestratorId", merchant_id AS "merchantId",
        external_reference AS "externalReference", currency, amount, capture, i2p, locale,
        invitation, payment_method AS "paymentMethod", authorization_expires_at AS "authorizationExpiresAt", items,
        customer_details AS "customerDetails", metadata, version, created_at AS "createdAt", updated_at AS "updatedAt"
      FROM transactions WHERE tenant_id = ${tenantId}::uuid AND id = ${transactionId}::uuid`,
    selectOperationsOf(tenantId, [transactionId]),
    sql`
      SELECT orchestrator FROM transactions t
        JOIN business_unit_copies c ON c.tenant_id = t.tenant_id AND c.business_unit_id = t.business_unit_id
        CROSS JOIN jsonb_array_elements(c.payment_orchestrators) AS orchestrator
      WHERE t.tenant_id = ${tenantId}::uuid AND t.id = ${transactionId}::uuid
        AND orchestrator ->> 'id' = t.payment_orchestrator_id::text`,
  ]
  const [transactions = [], operations = [], orchestrators = []] = await db.pipelined(tenantId, statements)
  const [row] = transactions as readonly WithText<TransactionModel>[]
  if (row === undefined) return null
  const [found] = orchestrators as readonly { orchestrator: PaymentOrchestrator }[]
  return {
    aggregate: { transaction: transactionOf(row), operations: operationsIn(operations) },
    orchestrator: found?.orchestrator ?? null,
  }
}
