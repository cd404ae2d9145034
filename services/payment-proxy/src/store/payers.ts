import { erased } from '@payments/payer-erasure/payer-data'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'

/** The data of payers in transactions. Amounts, operations and references stay. */

const erasedInvitation = JSON.stringify({ recipient: erased, communication_details: {}, return_url: null })

const withoutPayer = Prisma.sql`customer_details = NULL,
  invitation = CASE WHEN invitation IS NULL THEN NULL ELSE invitation || ${erasedInvitation}::jsonb END`

/** By each of three indexes. */
const ofPayer = (tenantId: string, address: string) => Prisma.sql`(
  SELECT id FROM transactions WHERE tenant_id = ${tenantId}::uuid
    AND customer_details->>'email' IS NOT NULL AND payer_address(customer_details->>'email') = ${address}
  UNION SELECT id FROM transactions WHERE tenant_id = ${tenantId}::uuid
    AND customer_details->>'phone' IS NOT NULL AND payer_address(customer_details->>'phone') = ${address}
  UNION SELECT id FROM transactions WHERE tenant_id = ${tenantId}::uuid
    AND invitation IS NOT NULL AND payer_address(invitation->>'recipient') = ${address})`

/** Erases at most `rowsMax` transactions of a payer. Returns their ids. */
export async function eraseTransactions(
  tx: Tx,
  tenantId: string,
  address: string,
  rowsMax: number,
): Promise<readonly string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH found AS MATERIALIZED (SELECT id FROM ${ofPayer(tenantId, address)} AS one ORDER BY id LIMIT ${rowsMax}),
      locked AS MATERIALIZED (
        SELECT t.id FROM transactions AS t JOIN found USING (id) ORDER BY t.id FOR NO KEY UPDATE OF t)
    UPDATE transactions SET ${withoutPayer} FROM locked
    WHERE transactions.id = locked.id AND transactions.tenant_id = ${tenantId}::uuid
    RETURNING transactions.id::text AS id`
  return rows.map(({ id }) => id)
}

/** The ids of the transactions of a payer, oldest first; one more than `limit`. */
export async function listPayerTransactions(
  tx: Tx,
  tenantId: string,
  { address, after, limit }: { readonly address: string; readonly after: string | null; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM ${ofPayer(tenantId, address)} AS one
    ${after === null ? Prisma.empty : Prisma.sql`WHERE id > ${after}::uuid`}
    ORDER BY one.id LIMIT ${limit + 1}`
  return rows.map(({ id }) => id)
}

/** SQL: the rows of the index of transactions with data of a customer. */
export const hasPayer = `customer_details IS NOT NULL OR invitation->>'recipient' <> '${erased}'`

/**
 * Redacts at most `rowsMax` transactions that were created and last changed before `before`, and have no open
 * operation. Returns their number.
 */
export function redactTransactions(tx: Tx, tenantId: string, before: Date, rowsMax: number): Promise<number> {
  return tx.$executeRaw`
    UPDATE transactions SET ${withoutPayer} WHERE id IN (
      SELECT id FROM transactions AS t
      WHERE tenant_id = ${tenantId}::uuid AND created_at < ${before} AND (${Prisma.raw(hasPayer)})
        AND updated_at < ${before}
        AND NOT EXISTS (SELECT FROM operations AS o WHERE o.transaction_id = t.id AND o.completed_at IS NULL)
      ORDER BY created_at LIMIT ${rowsMax} FOR NO KEY UPDATE SKIP LOCKED)`
}
