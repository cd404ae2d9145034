import { erased } from '@payments/contracts/nouns/payer-erasure'
import type { CodeFacts } from '../domain/code.ts'
import { Prisma } from '../generated/client.ts'
import { codeOf } from './codes.ts'
import type { Tx } from './database.ts'

/** The data of payers in codes. Amount, items, reference and link stay. */

const withoutPayer = Prisma.sql`recipient = ${erased}, communication_details = '{}'::jsonb, return_url = NULL,
  locale = NULL, payer_locale = NULL, payer_time_zone = NULL,
  last_error = CASE WHEN last_error IS NULL THEN NULL
    ELSE last_error || jsonb_build_object('detail', ${erased}::text) END`

export interface ErasedPayer {
  readonly address: string
  /** Later codes are new data. */
  readonly createdUntil: Date
}

const ofPayer = (tenantId: string, address: string) => Prisma.sql`
  FROM codes WHERE tenant_id = ${tenantId}::uuid AND payer_address(recipient) = ${address}`

/** Erases at most `rowsMax` codes of a payer, whose messages are not sent any more. Returns the changed codes. */
export async function eraseCodes(
  tx: Tx,
  tenantId: string,
  { address, createdUntil }: ErasedPayer,
  rowsMax: number,
): Promise<CodeFacts[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH locked AS MATERIALIZED (
      SELECT id ${ofPayer(tenantId, address)} AND created_at <= ${createdUntil}
      ORDER BY id LIMIT ${rowsMax} FOR NO KEY UPDATE)
    UPDATE codes SET ${withoutPayer} FROM locked
    WHERE codes.id = locked.id AND codes.tenant_id = ${tenantId}::uuid
    RETURNING codes.id::text AS id`
  const ids = rows.map(({ id }) => id)
  await tx.$executeRaw`
    UPDATE messages SET due_at = NULL
    WHERE tenant_id = ${tenantId}::uuid AND code_id = ANY(${ids}::uuid[]) AND due_at IS NOT NULL`
  return findCodes(tx, tenantId, ids)
}

/** The codes of a payer, oldest first; one more than `limit`. */
export async function listPayerCodes(
  tx: Tx,
  tenantId: string,
  { address, after, limit }: { readonly address: string; readonly after: string | null; readonly limit: number },
): Promise<CodeFacts[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id ${ofPayer(tenantId, address)}
      ${after === null ? Prisma.empty : Prisma.sql`AND id > ${after}::uuid`}
    ORDER BY codes.id LIMIT ${limit + 1}`
  return findCodes(
    tx,
    tenantId,
    rows.map(({ id }) => id),
  )
}

async function findCodes(tx: Tx, tenantId: string, ids: readonly string[]): Promise<CodeFacts[]> {
  const found = await tx.code.findMany({ where: { tenantId, id: { in: [...ids] } }, orderBy: { id: 'asc' } })
  return found.map(codeOf)
}

/** SQL: ended codes with data of the payer. */
export const hasPayer = `status IN ('completed', 'expired', 'canceled') AND recipient <> '${erased}'`

/** Redacts at most `rowsMax` ended codes that last changed before `before`. Returns their number. */
export function redactCodes(tx: Tx, tenantId: string, before: Date, rowsMax: number): Promise<number> {
  return tx.$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT id FROM codes
      WHERE tenant_id = ${tenantId}::uuid AND updated_at < ${before} AND ${Prisma.raw(hasPayer)}
      ORDER BY updated_at LIMIT ${rowsMax} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE codes SET ${withoutPayer} FROM old WHERE codes.id = old.id`
}
