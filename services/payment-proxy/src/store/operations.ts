import type { Operation } from '../domain/operation.ts'
import { Prisma } from '../generated/client.ts'
import type { OperationModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** Oldest first. */
export async function operationsOf(tx: Tx, tenantId: string, transactionIds: readonly string[]): Promise<Operation[]> {
  const rows = await tx.operation.findMany({
    where: { tenantId, transactionId: { in: [...transactionIds] } },
    orderBy: { number: 'asc' },
  })
  return rows.map(operationOf)
}

/** Newest first; one more than `limit`. */
export async function findOperations(
  tx: Tx,
  tenantId: string,
  transactionId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Operation[]> {
  const rows = await tx.operation.findMany({
    where: { tenantId, transactionId, ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return rows.map(operationOf)
}

/** Id of the transaction of an operation. */
export async function transactionIdOf(tx: Tx, tenantId: string, operationId: string): Promise<string | null> {
  const row = await tx.operation.findFirst({ where: { tenantId, id: operationId }, select: { transactionId: true } })
  return row?.transactionId ?? null
}

export async function insertOperation(tx: Tx, tenantId: string, operation: Operation): Promise<void> {
  const { items, error, ...columns } = operation
  await tx.operation.create({
    data: { ...columns, tenantId, items: jsonOf(items), error: jsonOf(error) },
  })
}

/** Updates an open operation. Returns false, and changes nothing, when the operation has ended. */
export async function updateOperation(tx: Tx, tenantId: string, operation: Operation): Promise<boolean> {
  const { id, state, providerReference, error, attemptCount, dueAt, completedAt } = operation
  const { count } = await tx.operation.updateMany({
    where: { tenantId, id, dueAt: { not: null } },
    data: { state, providerReference, error: jsonOf(error), attemptCount, dueAt, completedAt },
  })
  return count === 1
}

/**
 * Claims due open operations of all tenants until `leaseUntil`. Concurrent sweepers claim different operations.
 */
export function claimDue(
  tx: Tx,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<{ id: string; tenantId: string; transactionId: string }[]> {
  return tx.$queryRaw`
    UPDATE operations SET due_at = ${leaseUntil}, attempt_count = attempt_count + 1
    WHERE id IN (SELECT id FROM operations WHERE due_at <= ${now} ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING id::text AS "id", tenant_id::text AS "tenantId", transaction_id::text AS "transactionId"`
}

function jsonOf(value: object | null): Prisma.InputJsonValue | typeof Prisma.DbNull {
  return value === null ? Prisma.DbNull : (value as Prisma.InputJsonValue)
}

function operationOf(row: OperationModel): Operation {
  return {
    ...row,
    amount: Number(row.amount),
    amountReleased: Number(row.amountReleased),
    items: row.items as unknown as Operation['items'],
    error: row.error as unknown as Operation['error'],
  }
}
