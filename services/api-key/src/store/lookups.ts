import type { Lookup } from '../domain/key-value.ts'
import type { Tx } from './database.ts'

/** A value whose look-up stands under a former pepper. */
export interface FormerLookup extends Lookup {
  readonly tenantId: string
  readonly keyId: string
  readonly sealedValue: Uint8Array
}

export interface MovedLookup {
  readonly former: Lookup
  readonly present: Lookup
}

/** Keys that have a value, current or previous, under another pepper than $1, and come after $2. */
const keysUnderFormer = `
  FROM keys k LEFT JOIN previous_values p ON p.key_id = k.id
  WHERE (k.pepper_kid <> $1 OR p.pepper_kid <> $1) AND ($2::uuid IS NULL OR k.id > $2::uuid)`

/** Across tenants: the values of the next `keysMax` of those keys, in the order of the keys. */
export function findFormerLookups(
  tx: Tx,
  pepperKid: string,
  { after, keysMax }: { after: string | null; keysMax: number },
): Promise<FormerLookup[]> {
  return tx.$queryRawUnsafe<FormerLookup[]>(
    `WITH batch AS (SELECT k.id ${keysUnderFormer} ORDER BY k.id LIMIT $3::int)
     SELECT tenant_id AS "tenantId", id AS "keyId", sealed_value AS "sealedValue", pepper_kid AS "pepperKid", lookup_hmac AS hmac
       FROM keys JOIN batch USING (id) WHERE pepper_kid <> $1
      UNION ALL
     SELECT tenant_id, key_id, sealed_value, pepper_kid, lookup_hmac
       FROM previous_values JOIN batch ON batch.id = key_id WHERE pepper_kid <> $1
      ORDER BY "keyId"`,
    pepperKid,
    after,
    keysMax,
  )
}

export async function countFormerLookups(tx: Tx, pepperKid: string, after: string): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ n: number }]>(
    `SELECT count(*)::int AS n ${keysUnderFormer}`,
    pepperKid,
    after,
  )
  return row.n
}

/**
 * Stores the look-ups anew, wherever they still are what was read: a value may have become the previous one meanwhile, or be
 * gone. The rows are locked in one order, since recordKeyUses locks many too. Returns how many were moved.
 */
export async function moveLookups(tx: Tx, moved: readonly MovedLookup[]): Promise<number> {
  const rows = JSON.stringify(
    moved.map(({ former, present }) => ({
      former_kid: former.pepperKid,
      former_hmac: hex(former.hmac),
      kid: present.pepperKid,
      hmac: hex(present.hmac),
    })),
  )
  const current = await tx.$executeRawUnsafe(moveSql('keys', 'id'), rows)
  return current + (await tx.$executeRawUnsafe(moveSql('previous_values', 'key_id'), rows))
}

const moveSql = (table: 'keys' | 'previous_values', id: 'id' | 'key_id') => `
  WITH locked AS (
    SELECT t.${id} AS id, moved.kid, decode(moved.hmac, 'hex') AS hmac
      FROM jsonb_to_recordset($1::jsonb) AS moved (former_kid text, former_hmac text, kid text, hmac text)
      JOIN ${table} t ON t.pepper_kid = moved.former_kid AND t.lookup_hmac = decode(moved.former_hmac, 'hex')
     ORDER BY t.${id} FOR UPDATE OF t
  )
  UPDATE ${table} SET pepper_kid = locked.kid, lookup_hmac = locked.hmac FROM locked WHERE ${table}.${id} = locked.id`

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
