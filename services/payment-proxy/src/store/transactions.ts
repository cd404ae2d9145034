import type { Amounts } from '../domain/status.ts'
import type { Transaction } from '../domain/transaction.ts'
import { Prisma } from '../generated/client.ts'
import type { TransactionModel } from '../generated/models.ts'
import { isTaken, type Tx } from './database.ts'

/** Returns false when the external reference is in use; the database transaction has then failed. */
export async function insertTransaction(tx: Tx, tenantId: string, transaction: Transaction): Promise<boolean> {
  const { items, customerDetails, metadata, paymentMethod, ...columns } = transaction
  try {
    await tx.transaction.create({
      data: {
        ...columns,
        tenantId,
        paymentMethod: paymentMethod ?? Prisma.DbNull,
        items: items as Prisma.InputJsonValue,
        customerDetails: (customerDetails as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
        metadata: metadata as Prisma.InputJsonObject,
      },
    })
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

/** Waits for the lock and holds it until the end of the database transaction. */
export async function lockTransaction(tx: Tx, tenantId: string, transactionId: string): Promise<Transaction | null> {
  await tx.$queryRaw`
    SELECT 1 FROM transactions WHERE tenant_id = ${tenantId}::uuid AND id = ${transactionId}::uuid FOR UPDATE`
  return findTransaction(tx, tenantId, transactionId)
}

export async function findTransaction(tx: Tx, tenantId: string, transactionId: string): Promise<Transaction | null> {
  const row = await tx.transaction.findFirst({ where: { tenantId, id: transactionId } })
  return row === null ? null : transactionOf(row)
}

export interface TransactionFilter {
  readonly businessUnitId: string | undefined
  readonly externalReference: string | undefined
  readonly before: string | undefined
  readonly limit: number
}

/** Newest first. Returns one row more than `limit` when there is a next page. */
export async function findTransactions(tx: Tx, tenantId: string, filter: TransactionFilter): Promise<Transaction[]> {
  const { businessUnitId, externalReference, before, limit } = filter
  const rows = await tx.transaction.findMany({
    where: {
      tenantId,
      ...(businessUnitId === undefined ? {} : { businessUnitId }),
      ...(externalReference === undefined ? {} : { externalReference }),
      ...(before === undefined ? {} : { id: { lt: before } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return rows.map(transactionOf)
}

/** Updates the columns that an operation changes. The caller holds the lock. */
export async function updateTransaction(
  tx: Tx,
  tenantId: string,
  transaction: Transaction,
  amounts: Amounts,
): Promise<void> {
  const { id, version, updatedAt, authorizationExpiresAt, paymentMethod } = transaction
  await tx.transaction.updateMany({
    where: { tenantId, id },
    data: {
      amountAuthorized: amounts.authorized,
      amountCaptured: amounts.captured,
      amountRefunded: amounts.refunded,
      amountVoided: amounts.voided,
      paymentMethod: paymentMethod ?? Prisma.DbNull,
      authorizationExpiresAt,
      version,
      updatedAt,
    },
  })
}

/**
 * Locks transactions of all tenants whose authorization has expired with an amount left to release. Skips transactions
 * that another sweeper has locked, that have an open operation, or whose release was tried since `triedSince`.
 */
export function claimExpired(
  tx: Tx,
  { now, triedSince, reason, limit }: { now: Date; triedSince: Date; reason: string; limit: number },
): Promise<{ id: string; tenantId: string }[]> {
  return tx.$queryRaw`
    SELECT id::text AS "id", tenant_id::text AS "tenantId" FROM transactions
    WHERE authorization_expires_at <= ${now} AND amount_authorized > amount_captured + amount_voided
      AND NOT EXISTS (
        SELECT 1 FROM operations WHERE transaction_id = transactions.id
          AND (due_at IS NOT NULL OR (reason = ${reason} AND created_at > ${triedSince})))
    ORDER BY authorization_expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`
}

function transactionOf(row: TransactionModel): Transaction {
  return {
    id: row.id,
    tenantId: row.tenantId,
    businessUnitId: row.businessUnitId,
    paymentOrchestratorId: row.paymentOrchestratorId,
    merchantId: row.merchantId,
    externalReference: row.externalReference,
    currency: row.currency,
    amount: Number(row.amount),
    capture: row.capture,
    paymentMethod: row.paymentMethod as Transaction['paymentMethod'],
    authorizationExpiresAt: row.authorizationExpiresAt,
    items: row.items as unknown as Transaction['items'],
    customerDetails: row.customerDetails as Transaction['customerDetails'],
    metadata: row.metadata as Transaction['metadata'],
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
