import type { KeyIndex } from '../domain/key-value.ts'
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

/** Keys after $2 with a value, current or previous, under another pepper than $1. */
const keysUnderPrevious = `
  FROM keys k LEFT JOIN previous_values p ON p.key_id = k.id
  WHERE (k.pepper_kid <> $1 OR p.pepper_kid <> $1) AND ($2::uuid IS NULL OR k.id > $2::uuid)`

/** Across tenants: the values of the next `keysMax` of those keys, in the order of the keys. */
export function findPreviousIndexes(
  tx: Tx,
  pepperKid: string,
  { after, keysMax }: { after: string | null; keysMax: number },
): Promise<PreviousIndex[]> {
  return tx.$queryRawUnsafe<PreviousIndex[]>(
    `WITH batch AS (SELECT k.id ${keysUnderPrevious} ORDER BY k.id LIMIT $3::int)
     SELECT tenant_id AS "tenantId", id AS "keyId", value_encrypted AS "valueEncrypted", pepper_kid AS "pepperKid",
            index_hmac AS hmac
       FROM keys JOIN batch USING (id) WHERE pepper_kid <> $1
      UNION ALL
     SELECT tenant_id, key_id, value_encrypted, pepper_kid, index_hmac
       FROM previous_values JOIN batch ON batch.id = key_id WHERE pepper_kid <> $1
      ORDER BY "keyId"`,
    pepperKid,
    after,
    keysMax,
  )
}

export async function countPreviousIndexes(tx: Tx, pepperKid: string, after: string): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ n: number }]>(
    `SELECT count(*)::int AS n ${keysUnderPrevious}`,
    pepperKid,
    after,
  )
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
  const inKeys = await tx.$executeRawUnsafe(moveSql('keys', 'id'), rows)
  return inKeys + (await tx.$executeRawUnsafe(moveSql('previous_values', 'key_id'), rows))
}

const moveSql = (table: 'keys' | 'previous_values', id: 'id' | 'key_id') => `
  WITH locked AS (
    SELECT t.${id} AS id, moved.kid, decode(moved.hmac, 'hex') AS hmac
      FROM jsonb_to_recordset($1::jsonb) AS moved (previous_kid text, previous_hmac text, kid text, hmac text)
      JOIN ${table} t ON t.pepper_kid = moved.previous_kid AND t.index_hmac = decode(moved.previous_hmac, 'hex')
     ORDER BY t.${id} FOR UPDATE OF t
  )
  UPDATE ${table} SET pepper_kid = locked.kid, index_hmac = locked.hmac FROM locked WHERE ${table}.${id} = locked.id`

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
