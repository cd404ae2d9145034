import { lockForTransaction } from '@payments/chassis/advisory-lock'
import type { KeyModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** A key with its roles and without its secret, which only `store/values.ts` reads. */
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
  | 'allowedCidrs'
  | 'createdBy'
>

/** How many keys the tenant has, and nobody else adds one before this transaction ends. */
export async function lockKeyCount(tx: Tx, tenantId: string): Promise<number> {
  await lockForTransaction(tx, `api-key.keys:${tenantId}`)
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

export type KeyChanges = Partial<Pick<KeyModel, 'name' | 'description' | 'enabled' | 'expiresAt' | 'allowedCidrs'>>

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

export interface KeyUse {
  readonly tenantId: string
  readonly keyId: string
  readonly usedAt: Date
}

/**
 * Across tenants: shows the latest use of each key, where that is a minute or more after the one shown, so that a busy key is written
 * once a minute. A clock that runs ahead is not believed. The rows are locked in one order, since several may report at once.
 * Returns how many were written.
 */
export function recordUses(tx: Tx, uses: readonly KeyUse[]): Promise<number> {
  return tx.$executeRawUnsafe(
    `WITH latest AS (
       SELECT id, tenant_id, least(max(used_at), clock_timestamp()) AS used_at
         FROM jsonb_to_recordset($1::jsonb) AS used (id uuid, tenant_id uuid, used_at timestamptz) GROUP BY id, tenant_id
     ), due AS (
       SELECT k.id, latest.used_at FROM latest JOIN keys k ON k.id = latest.id AND k.tenant_id = latest.tenant_id
        WHERE k.last_used_at IS NULL OR k.last_used_at <= latest.used_at - interval '1 minute'
        ORDER BY k.id FOR NO KEY UPDATE OF k
     )
     UPDATE keys SET last_used_at = due.used_at FROM due WHERE keys.id = due.id`,
    JSON.stringify(uses.map(({ tenantId, keyId, usedAt }) => ({ id: keyId, tenant_id: tenantId, used_at: usedAt }))),
  )
}
