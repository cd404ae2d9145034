import type { KeyIndex } from '../domain/key-value.ts'
import { Prisma } from '../generated/client.ts'
import type { Tx } from './database.ts'
import { type KeyRow, readWrittenKey } from './keys.ts'

/** A value as stored: masked, encrypted and indexed. */
export interface StoredValue {
  readonly maskedValue: string
  readonly valueEncrypted: Uint8Array<ArrayBuffer>
  readonly pepperKid: string
  readonly indexHmac: Uint8Array<ArrayBuffer>
}

export async function findEncryptedValue(tx: Tx, tenantId: string, keyId: string): Promise<Uint8Array | undefined> {
  const key = await tx.key.findFirst({ where: { tenantId, id: keyId }, select: { valueEncrypted: true } })
  return key?.valueEncrypted
}

/** The value that the key had after `rotation` rotations, encrypted, while the value works. */
export async function findValueOfRotation(
  tx: Tx,
  tenantId: string,
  keyId: string,
  rotation: number,
): Promise<Uint8Array | undefined> {
  const [value] = await tx.$queryRaw<{ encrypted: Uint8Array }[]>`
    SELECT value_encrypted AS encrypted FROM keys
     WHERE tenant_id = ${tenantId}::uuid AND id = ${keyId}::uuid AND rotation = ${rotation}::int
     UNION ALL
    SELECT value_encrypted FROM previous_values
     WHERE tenant_id = ${tenantId}::uuid AND key_id = ${keyId}::uuid AND rotation = ${rotation}::int
       AND ends_at > clock_timestamp()`
  return value?.encrypted
}

/**
 * Replaces the value of a locked key. The replaced value works until `previousEndsAt`; null deletes it at once. A value
 * from before is deleted in either case.
 */
export async function replaceValue(
  tx: Tx,
  tenantId: string,
  keyId: string,
  { value, previousEndsAt }: { value: StoredValue; previousEndsAt: Date | null },
): Promise<KeyRow> {
  await tx.previousValue.deleteMany({ where: { tenantId, keyId } })
  if (previousEndsAt !== null) {
    await tx.$executeRaw`
      INSERT INTO previous_values (key_id, tenant_id, rotation, value_encrypted, pepper_kid, index_hmac, ends_at)
      SELECT id, tenant_id, rotation, value_encrypted, pepper_kid, index_hmac, ${previousEndsAt}::timestamptz
        FROM keys WHERE tenant_id = ${tenantId}::uuid AND id = ${keyId}::uuid`
  }
  const data = { ...value, rotation: { increment: 1 } }
  await tx.key.update({ where: { id: keyId, tenantId }, data, select: { id: true } })
  return readWrittenKey(tx, tenantId, keyId)
}

/**
 * A statement across tenants: `IdentityFacts` of the key with a current or previous value under one of `indexes`. Each
 * cache miss of the gateway runs it.
 */
export function selectIdentity(indexes: readonly KeyIndex[]): Prisma.Sql {
  const kids = indexes.map(({ pepperKid }) => pepperKid)
  const hmacs = indexes.map(({ hmac }) => Buffer.from(hmac).toString('hex'))
  return Prisma.sql`
    WITH requested AS (
      SELECT kid, decode(hex, 'hex') AS hmac FROM unnest(${kids}::text[], ${hmacs}::text[]) AS named (kid, hex)
    ), found AS (
      SELECT k.id, NULL::timestamptz AS ends_at
        FROM requested JOIN keys k ON k.pepper_kid = requested.kid AND k.index_hmac = requested.hmac
      UNION ALL
      SELECT p.key_id, p.ends_at
        FROM requested JOIN previous_values p ON p.pepper_kid = requested.kid AND p.index_hmac = requested.hmac
       WHERE p.ends_at > clock_timestamp()
    )
    SELECT k.id, k.tenant_id AS "tenantId",
           k.enabled AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()) AS enabled,
           k.expires_at AS "expiresAt", k.allowed_cidrs AS "allowedCidrs", found.ends_at AS "previousEndsAt",
           ARRAY(SELECT r.role_id FROM key_roles r WHERE r.key_id = k.id ORDER BY r.role_id) AS "roleIds"
      FROM found JOIN keys k ON k.id = found.id
     LIMIT 1`
}
