import type { IdentityFacts } from '../domain/key.ts'
import type { Lookup } from '../domain/key-value.ts'
import type { KeyModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** A key with its roles and without its secret, which only `findSealedValue` reads. */
export type KeyRow = Omit<KeyModel, 'sealedValue' | 'pepperKid' | 'lookupHmac'> & { roles: { roleId: string }[] }

const shown = {
  omit: { sealedValue: true, pepperKid: true, lookupHmac: true },
  include: { roles: { select: { roleId: true } } },
} as const

export type KeyInsert = Pick<
  KeyModel,
  | 'id'
  | 'name'
  | 'description'
  | 'environment'
  | 'maskedValue'
  | 'sealedValue'
  | 'pepperKid'
  | 'lookupHmac'
  | 'expiresAt'
  | 'createdBy'
>

/** How many keys the tenant has, and nobody else adds one before this transaction ends. */
export async function lockKeyCount(tx: Tx, tenantId: string): Promise<number> {
  await tx.$queryRawUnsafe(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text`, `api-key.keys:${tenantId}`)
  return tx.key.count({ where: { tenantId } })
}

export function insertKey(tx: Tx, tenantId: string, key: KeyInsert, roleIds: readonly string[]): Promise<KeyRow> {
  const roles = { createMany: { data: roleIds.map((roleId) => ({ tenantId, roleId })) } }
  return tx.key.create({ data: { ...key, tenantId, roles }, ...shown })
}

export function findKey(tx: Tx, tenantId: string, keyId: string): Promise<KeyRow | null> {
  return tx.key.findFirst({ where: { tenantId, id: keyId }, ...shown })
}

/** As findKey, and nobody else changes the key before this transaction ends. */
export async function lockKey(tx: Tx, tenantId: string, keyId: string): Promise<KeyRow | null> {
  await tx.$queryRawUnsafe(
    `SELECT 1 FROM keys WHERE tenant_id = $1::uuid AND id = $2::uuid FOR UPDATE`,
    tenantId,
    keyId,
  )
  return findKey(tx, tenantId, keyId)
}

/** Newest first; one more than `limit`, so that the caller knows whether there is a next page. */
export function listKeys(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<KeyRow[]> {
  return tx.key.findMany({
    where: { tenantId, ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
    ...shown,
  })
}

export type KeyChanges = Partial<Pick<KeyModel, 'name' | 'description' | 'enabled' | 'expiresAt'>>

export function updateKey(tx: Tx, tenantId: string, keyId: string, changes: KeyChanges): Promise<KeyRow> {
  return tx.key.update({ where: { id: keyId, tenantId }, data: changes, ...shown })
}

export function replaceRoles(tx: Tx, tenantId: string, keyId: string, roleIds: readonly string[]): Promise<KeyRow> {
  const roles = { deleteMany: {}, createMany: { data: roleIds.map((roleId) => ({ tenantId, roleId })) } }
  return tx.key.update({ where: { id: keyId, tenantId }, data: { roles, updatedAt: new Date() }, ...shown })
}

export function countKeysWithRole(tx: Tx, tenantId: string, roleId: string): Promise<number> {
  return tx.keyRole.count({ where: { tenantId, roleId } })
}

/** The row goes, and with it the sealed value, the look-up and the roles. */
export async function deleteKey(tx: Tx, tenantId: string, keyId: string): Promise<void> {
  await tx.key.delete({ where: { id: keyId, tenantId }, select: { id: true } })
}

export async function findSealedValue(tx: Tx, tenantId: string, keyId: string): Promise<Uint8Array | undefined> {
  const key = await tx.key.findFirst({ where: { tenantId, id: keyId }, select: { sealedValue: true } })
  return key?.sealedValue
}

/** Across tenants: the key that stands under one of `lookups`, in one statement, since each request of a key asks. */
export async function findIdentity(tx: Tx, lookups: readonly Lookup[]): Promise<IdentityFacts | undefined> {
  const [identity] = await tx.$queryRawUnsafe<IdentityFacts[]>(
    `SELECT k.id, k.tenant_id AS "tenantId", k.enabled, k.expires_at AS "expiresAt", k.allowed_cidrs AS "allowedCidrs",
            ARRAY(SELECT r.role_id FROM key_roles r WHERE r.key_id = k.id ORDER BY r.role_id) AS "roleIds"
       FROM unnest($1::text[], $2::text[]) AS sought(kid, hmac)
       JOIN keys k ON k.pepper_kid = sought.kid AND k.lookup_hmac = decode(sought.hmac, 'hex')
      LIMIT 1`,
    lookups.map(({ pepperKid }) => pepperKid),
    lookups.map(({ hmac }) => Buffer.from(hmac).toString('hex')),
  )
  return identity
}
