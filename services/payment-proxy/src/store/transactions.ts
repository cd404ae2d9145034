import type { SqlTx } from '@payments/chassis/database/transaction'
import { nextDueAt } from '@payments/chassis/database/waiting-tenants'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Transaction } from '../domain/transaction.ts'
import type { TransactionModel } from '../generated/models.ts'
import type { Tx, WithText } from './database.ts'

/** Waits for the lock of the transaction, and holds it until the end of the database transaction. */
export async function lockTransaction(tx: Tx, tenantId: string, transactionId: string): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM transactions WHERE tenant_id = ${tenantId}::uuid AND id = ${transactionId}::uuid FOR UPDATE`
}

/** Throws transaction_not_found. */
export async function requireTransaction(tx: Tx, tenantId: string, transactionId: string): Promise<Transaction> {
  const row = await tx.transaction.findFirst({ where: { tenantId, id: transactionId } })
  if (row === null) throw new Problem(problems.transaction_not_found)
  return toTransaction(row)
}

interface ExpiredSearch {
  readonly now: Date
  /** Delay after the first release; the n-th waits n times as long, at most `retryMsMax`. */
  readonly retryMs: number
  readonly retryMsMax: number
  readonly declinesMax: number
  /** Of the voids that release expired authorizations. */
  readonly reason: string
  readonly exceptTenants: readonly string[]
}

/**
 * Locks the transaction whose authorization expired first with an amount left to release, of any tenant but
 * `exceptTenants`. Skips transactions that another sweeper has locked, that have an open operation, whose next release
 * is not due, or whose release was declined `declinesMax` times. Null when there is none.
 */
export async function lockExpired(
  tx: Tx,
  { now, retryMs, retryMsMax, declinesMax, reason, exceptTenants }: ExpiredSearch,
): Promise<{ id: string; tenantId: string } | null> {
  const [locked] = await tx.$queryRaw<{ id: string; tenantId: string }[]>`
    SELECT id::text AS "id", tenant_id::text AS "tenantId" FROM transactions
    WHERE authorization_expires_at <= ${now} AND amount_authorized > amount_captured + amount_voided
      AND tenant_id <> ALL (${exceptTenants}::uuid[])
      AND NOT EXISTS (
        SELECT 1 FROM operations WHERE transaction_id = transactions.id AND due_at IS NOT NULL)
      AND (SELECT count(*) FILTER (WHERE state = 'declined') < ${declinesMax}
          AND coalesce(max(created_at) <= ${now}::timestamptz - least(count(*) * ${retryMs}::int, ${retryMsMax}::int) * interval '1 ms', true)
        FROM operations WHERE transaction_id = transactions.id AND reason = ${reason})
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

/** A row of Prisma, or of a statement that names its columns as Prisma does: `pg` reads a bigint as text. */
export function toTransaction(row: WithText<TransactionModel>): Transaction {
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
    i2p: row.i2p,
    locale: row.locale,
    invitation: row.invitation as Transaction['invitation'],
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
