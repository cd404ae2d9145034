import type { IdentityFacts } from '../domain/key.ts'
import type { Lookup } from '../domain/key-value.ts'
import type { Tx } from './database.ts'
import { findKey, type KeyRow } from './keys.ts'

/** A value as it rests. `rotation` counts the values of a key. */
export interface RestingValue {
  readonly maskedValue: string
  readonly sealedValue: Uint8Array<ArrayBuffer>
  readonly pepperKid: string
  readonly lookupHmac: Uint8Array<ArrayBuffer>
}

/** The present value of a key. */
export async function findSealedValue(tx: Tx, tenantId: string, keyId: string): Promise<Uint8Array | undefined> {
  const key = await tx.key.findFirst({ where: { tenantId, id: keyId }, select: { sealedValue: true } })
  return key?.sealedValue
}

/** The value that the key had after so many rotations, while it works. */
export async function findValueOfRotation(
  tx: Tx,
  tenantId: string,
  keyId: string,
  rotation: number,
): Promise<Uint8Array | undefined> {
  const [value] = await tx.$queryRawUnsafe<{ sealed: Uint8Array }[]>(
    `SELECT sealed_value AS sealed FROM keys WHERE tenant_id = $1::uuid AND id = $2::uuid AND rotation = $3::int
      UNION ALL
     SELECT sealed_value FROM previous_values
      WHERE tenant_id = $1::uuid AND key_id = $2::uuid AND rotation = $3::int AND ends_at > clock_timestamp()`,
    tenantId,
    keyId,
    rotation,
  )
  return value?.sealed
}

/**
 * Gives a locked key another value. The one it had works until `formerEndsAt`, or is destroyed; one from before that is
 * destroyed in either case.
 */
export async function replaceValue(
  tx: Tx,
  tenantId: string,
  keyId: string,
  { value, formerEndsAt }: { value: RestingValue; formerEndsAt: Date | null },
): Promise<KeyRow> {
  await tx.previousValue.deleteMany({ where: { tenantId, keyId } })
  if (formerEndsAt !== null) {
    await tx.$executeRawUnsafe(
      `INSERT INTO previous_values (key_id, tenant_id, rotation, sealed_value, pepper_kid, lookup_hmac, ends_at)
       SELECT id, tenant_id, rotation, sealed_value, pepper_kid, lookup_hmac, $3::timestamptz
         FROM keys WHERE tenant_id = $1::uuid AND id = $2::uuid`,
      tenantId,
      keyId,
      formerEndsAt.toISOString(),
    )
  }
  const data = { ...value, rotation: { increment: 1 } }
  await tx.key.update({ where: { id: keyId, tenantId }, data, select: { id: true } })
  const key = await findKey(tx, tenantId, keyId)
  if (key === null) throw new Error(`key ${keyId} is gone while it was locked`)
  return key
}

/**
 * Across tenants: the key that has, or until the end of its grace period had, a value under one of `lookups`; in one statement,
 * since the gateway asks for each key it does not remember.
 */
export async function findIdentity(tx: Tx, lookups: readonly Lookup[]): Promise<IdentityFacts | undefined> {
  const [identity] = await tx.$queryRawUnsafe<IdentityFacts[]>(
    `WITH sought AS (
       SELECT kid, decode(hex, 'hex') AS hmac FROM unnest($1::text[], $2::text[]) AS named (kid, hex)
     ), found AS (
       SELECT k.id, NULL::timestamptz AS ends_at
         FROM sought JOIN keys k ON k.pepper_kid = sought.kid AND k.lookup_hmac = sought.hmac
       UNION ALL
       SELECT p.key_id, p.ends_at
         FROM sought JOIN previous_values p ON p.pepper_kid = sought.kid AND p.lookup_hmac = sought.hmac
        WHERE p.ends_at > clock_timestamp()
     )
     SELECT k.id, k.tenant_id AS "tenantId", k.enabled, k.expires_at AS "expiresAt", k.allowed_cidrs AS "allowedCidrs",
            found.ends_at AS "previousEndsAt",
            ARRAY(SELECT r.role_id FROM key_roles r WHERE r.key_id = k.id ORDER BY r.role_id) AS "roleIds"
       FROM found JOIN keys k ON k.id = found.id
      LIMIT 1`,
    lookups.map(({ pepperKid }) => pepperKid),
    lookups.map(({ hmac }) => Buffer.from(hmac).toString('hex')),
  )
  return identity
}

/** Destroys previous values whose grace has ended, at most `rowsMax` at once. Returns how many. */
export function purgePreviousValues(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `DELETE FROM previous_values WHERE key_id IN
       (SELECT key_id FROM previous_values WHERE ends_at < now() ORDER BY ends_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    rowsMax,
  )
}
