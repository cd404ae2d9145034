import type { KeyIndex } from '../domain/key-value.ts'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'

/** A value whose index uses a previous pepper. */
export interface PreviousIndex extends KeyIndex {
  readonly tenantId: string
  readonly keyId: string
  readonly valueEncrypted: Uint8Array
}

export interface MovedIndex {
  readonly previous: KeyIndex
  readonly current: KeyIndex
}

/** Keys after `after` with a value, current or previous, under another pepper. */
const keysUnderOthers = (pepperKid: string, after: string | null) => Prisma.sql`
  FROM keys k LEFT JOIN previous_values p ON p.key_id = k.id
  WHERE (k.pepper_kid <> ${pepperKid} OR p.pepper_kid <> ${pepperKid})
    AND (${after}::uuid IS NULL OR k.id > ${after}::uuid)`

/** Across tenants: the values of the next `keysMax` of those keys, in the order of the keys. */
export function findPreviousIndexes(
  tx: Tx,
  pepperKid: string,
  { after, keysMax }: { after: string | null; keysMax: number },
): Promise<PreviousIndex[]> {
  return tx.$queryRaw<PreviousIndex[]>`
    WITH batch AS (SELECT k.id ${keysUnderOthers(pepperKid, after)} ORDER BY k.id LIMIT ${keysMax}::int)
    SELECT tenant_id AS "tenantId", id AS "keyId", value_encrypted AS "valueEncrypted", pepper_kid AS "pepperKid",
           index_hmac AS hmac
      FROM keys JOIN batch USING (id) WHERE pepper_kid <> ${pepperKid}
     UNION ALL
    SELECT tenant_id, key_id, value_encrypted, pepper_kid, index_hmac
      FROM previous_values JOIN batch ON batch.id = key_id WHERE pepper_kid <> ${pepperKid}
     ORDER BY "keyId"`
}

export async function countPreviousIndexes(tx: Tx, pepperKid: string, after: string): Promise<number> {
  const [row] = await tx.$queryRaw<[{ n: number }]>`SELECT count(*)::int AS n ${keysUnderOthers(pepperKid, after)}`
  return row.n
}

/**
 * Stores the new indexes of values that still have the index that was read. A concurrent rotation may have moved a
 * value to previous_values, or deleted it. Rows are locked in the order of their ids, as in `recordUses`.
 * Returns the number of moved values.
 */
export async function moveIndexes(tx: Tx, moved: readonly MovedIndex[]): Promise<number> {
  const rows = JSON.stringify(
    moved.map(({ previous, current }) => ({
      previous_kid: previous.pepperKid,
      previous_hmac: hex(previous.hmac),
      kid: current.pepperKid,
      hmac: hex(current.hmac),
    })),
  )
  const inKeys = await moveIn(tx, Prisma.sql`keys`, Prisma.sql`id`, rows)
  return inKeys + (await moveIn(tx, Prisma.sql`previous_values`, Prisma.sql`key_id`, rows))
}

const moveIn = (tx: Tx, table: Prisma.Sql, id: Prisma.Sql, rows: string): Promise<number> => tx.$executeRaw`
  WITH locked AS (
    SELECT t.${id} AS id, moved.kid, decode(moved.hmac, 'hex') AS hmac
      FROM jsonb_to_recordset(${rows}::jsonb) AS moved (previous_kid text, previous_hmac text, kid text, hmac text)
      JOIN ${table} t ON t.pepper_kid = moved.previous_kid AND t.index_hmac = decode(moved.previous_hmac, 'hex')
     ORDER BY t.${id} FOR UPDATE OF t
  )
  UPDATE ${table} SET pepper_kid = locked.kid, index_hmac = locked.hmac FROM locked WHERE ${table}.${id} = locked.id`

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
