import { erased } from '@payments/contracts/nouns/payer-erasure'
import { type PayerScan, type PayerTable, type Scanned, scanForPayer, scanPage } from '@payments/service/payers/scan'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'

/** The data of payers in transactions. Amounts, operations and references stay. */

const erasedInvitation = JSON.stringify({ recipient: erased, communication_details: {}, return_url: null })

const withoutPayer = Prisma.sql`customer_details = NULL,
  invitation = CASE WHEN invitation IS NULL THEN NULL ELSE invitation || ${erasedInvitation}::jsonb END`

const transactions: PayerTable = {
  table: 'transactions',
  addresses: ["customer_details->>'email'", "customer_details->>'phone'", "invitation->>'recipient'"],
}

/** Erases the transactions of a payer among the next ones of a scan. */
export async function eraseTransactions(tx: Tx, scan: PayerScan): Promise<Scanned> {
  const found = await scanForPayer(tx, transactions, scan)
  const ids = await tx.$queryRaw<{ id: string }[]>`
    WITH locked AS MATERIALIZED (
      SELECT id FROM transactions WHERE tenant_id = ${scan.tenantId}::uuid AND id = ANY(${found.ids}::uuid[])
      ORDER BY id FOR NO KEY UPDATE)
    UPDATE transactions SET ${withoutPayer} FROM locked
    WHERE transactions.id = locked.id AND transactions.tenant_id = ${scan.tenantId}::uuid
    RETURNING transactions.id::text AS id`
  return { ...found, ids: ids.map(({ id }) => id) }
}

/** A page of the transactions of a payer, oldest first. */
export const listPayerTransactions = (tx: Tx, page: Omit<PayerScan, 'createdUntil'>): Promise<Scanned> =>
  scanPage(tx, transactions, page)

/** SQL: the rows of the index of transactions with data of a customer that are not authorized. */
export const hasPayer = `(customer_details IS NOT NULL OR invitation->>'recipient' <> '${erased}') AND status <> 'authorized'`

/**
 * Redacts at most `rowsMax` transactions that last changed before `before`, paid or not, unless they can still be
 * captured or have an open operation. Returns their number.
 */
export function redactTransactions(tx: Tx, tenantId: string, before: Date, rowsMax: number): Promise<number> {
  return tx.$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT id FROM transactions AS t
      WHERE tenant_id = ${tenantId}::uuid AND updated_at < ${before} AND ${Prisma.raw(hasPayer)}
        AND NOT EXISTS (SELECT FROM operations AS o WHERE o.transaction_id = t.id AND o.completed_at IS NULL)
      ORDER BY updated_at LIMIT ${rowsMax} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE transactions SET ${withoutPayer} FROM old WHERE transactions.id = old.id`
}
