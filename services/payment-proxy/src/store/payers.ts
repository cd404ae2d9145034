import { erased } from '@payments/contracts/nouns/payer-erasure'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'

/** The data of payers in transactions. Amounts, operations and references stay. */

const erasedInvitation = JSON.stringify({ recipient: erased, communication_details: {}, return_url: null })

const withoutPayer = Prisma.sql`customer_details = NULL,
  invitation = CASE WHEN invitation IS NULL THEN NULL ELSE invitation || ${erasedInvitation}::jsonb END`

interface Found {
  readonly address: string
  readonly limit: number
  /** Null: from the first one on. */
  readonly after: string | null
  /** Null: at any time. */
  readonly createdUntil: Date | null
}

/** The ids of at most `limit` transactions of a payer, in their order, by each of three indexes. */
function ofPayer(tenantId: string, { address, limit, after, createdUntil }: Found): Prisma.Sql {
  const since = after === null ? Prisma.empty : Prisma.sql`AND id > ${after}::uuid`
  const until = createdUntil === null ? Prisma.empty : Prisma.sql`AND created_at <= ${createdUntil}`
  const by = (column: Prisma.Sql, isIndexed: Prisma.Sql) => Prisma.sql`(
    SELECT id FROM transactions
    WHERE tenant_id = ${tenantId}::uuid AND ${isIndexed} AND payer_address(${column}) = ${address} ${since} ${until}
    ORDER BY id LIMIT ${limit})`
  const [email, phone] = [Prisma.sql`customer_details->>'email'`, Prisma.sql`customer_details->>'phone'`]
  return Prisma.sql`
    SELECT id FROM (${by(email, Prisma.sql`${email} IS NOT NULL`)} UNION ${by(phone, Prisma.sql`${phone} IS NOT NULL`)}
      UNION ${by(Prisma.sql`invitation->>'recipient'`, Prisma.sql`invitation IS NOT NULL`)}) AS one
    ORDER BY id LIMIT ${limit}`
}

/** Erases at most `rowsMax` transactions of a payer that were created until then. Returns their ids. */
export async function eraseTransactions(
  tx: Tx,
  tenantId: string,
  { address, createdUntil }: { readonly address: string; readonly createdUntil: Date },
  rowsMax: number,
): Promise<readonly string[]> {
  const found = ofPayer(tenantId, { address, createdUntil, limit: rowsMax, after: null })
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH found AS MATERIALIZED (${found}),
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
  const found = ofPayer(tenantId, { address, after, limit: limit + 1, createdUntil: null })
  const rows = await tx.$queryRaw<{ id: string }[]>`SELECT id::text AS id FROM (${found}) AS found ORDER BY found.id`
  return rows.map(({ id }) => id)
}

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
