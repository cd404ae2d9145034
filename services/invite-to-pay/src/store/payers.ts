import { erased } from '@payments/contracts/nouns/payer-erasure'
import { hasAddress, type PayerScan, type PayerTable, scanForPayer, scanPage } from '@payments/service/payers/scan'
import type { CodeFacts } from '../domain/code.ts'
import { Prisma } from '../generated/client.ts'
import { listPart, toCode } from './codes.ts'
import type { Tx } from './database.ts'

/** The data of payers in codes. Amount, items, reference and link stay. */

const withoutPayer = Prisma.sql`recipient = ${erased}, communication_details = '{}'::jsonb, return_url = NULL,
  locale = NULL, payer_locale = NULL, payer_time_zone = NULL,
  last_error = CASE WHEN last_error IS NULL THEN NULL
    ELSE last_error || jsonb_build_object('detail', ${erased}::text) END`

const payerCodes: PayerTable = { table: 'codes', addresses: ['recipient'] }

/** The codes of one batch or page, and where the next one continues. */
export interface FoundCodes {
  readonly codes: readonly CodeFacts[]
  readonly position: string | null
}

/**
 * Erases the codes of a payer among the next ones of a scan, unless they got another recipient meanwhile. Their
 * messages are not sent any more. Returns the changed codes.
 */
export async function eraseCodes(tx: Tx, scan: PayerScan): Promise<FoundCodes> {
  const { tenantId, address } = scan
  const found = await scanForPayer(tx, payerCodes, scan)
  const locked = await tx.$queryRaw<{ id: string; recipient: string }[]>`
    SELECT id::text AS id, recipient FROM codes
    WHERE tenant_id = ${tenantId}::uuid AND id = ANY(${found.ids}::uuid[]) ORDER BY codes.id FOR NO KEY UPDATE`
  const ids = locked.filter(({ recipient }) => hasAddress([recipient], address)).map(({ id }) => id)
  await tx.$executeRaw`
    UPDATE codes SET ${withoutPayer} WHERE tenant_id = ${tenantId}::uuid AND id = ANY(${ids}::uuid[])`
  await tx.$executeRaw`
    UPDATE messages SET due_at = NULL
    WHERE tenant_id = ${tenantId}::uuid AND code_id = ANY(${ids}::uuid[]) AND due_at IS NOT NULL`
  return { codes: await findCodes(tx, tenantId, ids), position: found.position }
}

/** A page of the codes of a payer, oldest first. */
export async function listPayerCodes(tx: Tx, page: Omit<PayerScan, 'createdUntil'>): Promise<FoundCodes> {
  const { ids, position } = await scanPage(tx, payerCodes, page)
  const { rows, continuesAfter } = await listPart(tx, page.tenantId, { ids, limit: page.limit, order: 'asc' })
  return { codes: rows, position: continuesAfter ?? position }
}

async function findCodes(tx: Tx, tenantId: string, ids: readonly string[]): Promise<CodeFacts[]> {
  const found = await tx.code.findMany({ where: { tenantId, id: { in: [...ids] } }, orderBy: { id: 'asc' } })
  return found.map(toCode)
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
