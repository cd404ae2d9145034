import { bytesSql, partOfList, type SizedTable } from '@payments/chassis/database/list-part'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { nextDueAt } from '@payments/chassis/database/waiting-tenants'
import type { ListPart } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { authorizationExpired } from '../domain/operation.ts'
import type { ShownTransaction, Transaction } from '../domain/transaction.ts'
import type { TransactionModel } from '../generated/models.ts'
import type { Tx } from './database.ts'
import { findShownOperations, shownBytes } from './operations.ts'

/** Waits for the lock of the transaction, and holds it until the end of the database transaction. */
export async function lockTransaction(tx: Tx, tenantId: string, transactionId: string): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM transactions WHERE tenant_id = ${tenantId}::uuid AND id = ${transactionId}::uuid FOR UPDATE`
}

/** Throws transaction_not_found. */
export async function requireTransaction(tx: Tx, tenantId: string, transactionId: string): Promise<Transaction> {
  const row = await tx.transaction.findFirst({ where: { tenantId, id: transactionId }, omit: derivedColumns })
  if (row === null) throw new Problem(problems.transaction_not_found)
  return toTransaction(row)
}

/** Delay after the first release that was declined or not sent; the n-th waits n times as long, at most a day. */
const retryMs = 60 * 60 * 1000
const retryMsMax = 24 * retryMs
/** A provider that has released an expired authorization may decline its void for ever. */
const declinesMax = 10

/**
 * Locks the transaction whose authorization expired first with an amount left to release, of any tenant but
 * `exceptTenants`. Skips transactions that another sweeper has locked, that have an open operation, whose next release
 * is not due, or whose release was declined `declinesMax` times. Null when there is none.
 */
export async function lockExpired(
  tx: Tx,
  now: Date,
  exceptTenants: readonly string[],
): Promise<{ id: string; tenantId: string } | null> {
  const [locked] = await tx.$queryRaw<{ id: string; tenantId: string }[]>`
    SELECT id::text AS "id", tenant_id::text AS "tenantId" FROM transactions
    WHERE authorization_expires_at <= ${now} AND amount_authorized > amount_captured + amount_voided
      AND tenant_id <> ALL (${exceptTenants}::uuid[])
      AND NOT EXISTS (
        SELECT 1 FROM operations WHERE transaction_id = transactions.id AND due_at IS NOT NULL)
      AND (SELECT count(*) FILTER (WHERE state = 'declined') < ${declinesMax}
          AND coalesce(max(created_at) <= ${now}::timestamptz - least(count(*) * ${retryMs}::int, ${retryMsMax}::int) * interval '1 ms', true)
        FROM operations WHERE transaction_id = transactions.id AND reason = ${authorizationExpired})
    ORDER BY authorization_expires_at LIMIT 1 FOR UPDATE SKIP LOCKED`
  return locked ?? null
}

/** When the next authorization that is not used up expires (`nextDueAt`). An expired one may wait for its release. */
export const nextAuthorizationExpiry = (sql: SqlTx, now: Date): Promise<number | null> =>
  nextDueAt(
    sql,
    `(SELECT min(authorization_expires_at) FROM transactions
      WHERE amount_authorized > amount_captured + amount_voided)`,
    now,
  )

/** The columns that follow from the operations: statements that read a transaction leave them out. */
const derivedColumns = {
  status: true,
  amountAuthorized: true,
  amountCaptured: true,
  amountRefunded: true,
  amountVoided: true,
} as const

/** A row of Prisma, or of a statement that names its columns as Prisma does: `pg` reads a bigint as text. */
export type TransactionRow = Omit<TransactionModel, keyof typeof derivedColumns | 'amount'> & {
  readonly amount: bigint | string
}

export function toTransaction(row: TransactionRow): Transaction {
  return { ...row, amount: Number(row.amount) } as unknown as Transaction
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
  const where = { tenantId, id: { in: ids } }
  const rows = await tx.transaction.findMany({ where, orderBy: { id: order }, omit: derivedColumns })
  const operations = await findShownOperations(tx, tenantId, ids)
  return rows.map((row) => ({ transaction: toTransaction(row), operations: operations.get(row.id) ?? [] }))
}
