import { idsThatBeginWith } from '@payments/chassis/base/id'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { KeyFilter } from '../domain/key.ts'
import { Prisma } from '../generated/client.ts'
import type { KeyModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** A key without its value, which only `store/values.ts` reads. */
export type KeyRow = Omit<KeyModel, 'valueEncrypted' | 'pepperKid' | 'indexHmac'> & {
  readonly roleIds: readonly string[]
  /** The end of the value from before the last rotation, until it is purged. */
  readonly previousEndsAt: Date | null
}

type KeyInsert = Omit<KeyModel, 'tenantId' | 'enabled' | 'createdAt' | 'updatedAt' | 'lastUsedAt' | 'rotation'>

/** One statement: Prisma would read roles and previous values by two more. */
const selectKeys = (condition: Prisma.Sql) => Prisma.sql`
  SELECT k.id, k.tenant_id AS "tenantId", k.name, k.description, k.environment::text AS environment,
         k.masked_value AS "maskedValue", k.enabled, k.expires_at AS "expiresAt", k.allowed_cidrs AS "allowedCidrs",
         k.created_at AS "createdAt", k.created_by AS "createdBy", k.updated_at AS "updatedAt",
         k.last_used_at AS "lastUsedAt", k.rotation, p.ends_at AS "previousEndsAt",
         ARRAY(SELECT r.role_id FROM key_roles r WHERE r.key_id = k.id ORDER BY r.role_id) AS "roleIds"
    FROM keys k LEFT JOIN previous_values p ON p.key_id = k.id
   WHERE ${condition}`

/** The number of keys of the tenant. Concurrent creations wait until this transaction ends. */
export async function lockKeyCount(tx: Tx, tenantId: string): Promise<number> {
  await lockForTransaction(tx, `api-key.keys:${tenantId}`)
  return count(tx, tenantId)
}

export function count(tx: Tx, tenantId: string): Promise<number> {
  return tx.key.count({ where: { tenantId } })
}

/** The number of keys of the tenant that are enabled, not expired, and have a role. */
export function countUsable(tx: Tx, tenantId: string, now: Date): Promise<number> {
  const notExpired = [{ expiresAt: null }, { expiresAt: { gt: now } }]
  return tx.key.count({ where: { tenantId, enabled: true, roles: { some: {} }, OR: notExpired } })
}

export async function findKey(tx: Tx, tenantId: string, keyId: string): Promise<KeyRow | null> {
  const condition = Prisma.sql`k.tenant_id = ${tenantId}::uuid AND k.id = ${keyId}::uuid`
  const [key] = await tx.$queryRaw<KeyRow[]>(selectKeys(condition))
  return key ?? null
}

/** As findKey; concurrent changes of the key wait until this transaction ends. */
export async function lockKey(tx: Tx, tenantId: string, keyId: string): Promise<KeyRow | null> {
  await tx.$queryRaw`SELECT 1 FROM keys WHERE tenant_id = ${tenantId}::uuid AND id = ${keyId}::uuid FOR UPDATE`
  return findKey(tx, tenantId, keyId)
}

/** The key that this transaction wrote. */
export async function readWrittenKey(tx: Tx, tenantId: string, keyId: string): Promise<KeyRow> {
  const key = await findKey(tx, tenantId, keyId)
  if (key === null) throw new Error(`key ${keyId} disappeared while it was locked`)
  return key
}

/** Newest first; one more than `limit`. `found`: the ids of the keys whose name has `filter.search`. */
export function list(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
  { filter, found }: { filter: KeyFilter; found: readonly string[] },
): Promise<KeyRow[]> {
  const { search, name, roleId, enabled, unusedSince, expiresBefore } = filter
  const ids = search === null ? null : idsThatBeginWith(search)
  const condition = Prisma.sql`
    k.tenant_id = ${tenantId}::uuid ${before === undefined ? Prisma.empty : Prisma.sql`AND k.id < ${before}::uuid`}
    AND (${search}::text IS NULL OR k.id = ANY (${found}::uuid[])
      OR k.id BETWEEN ${ids?.first ?? null}::uuid AND ${ids?.last ?? null}::uuid)
    AND (${name}::text IS NULL OR k.name = ${name})
    AND (${roleId}::uuid IS NULL OR EXISTS (SELECT FROM key_roles r WHERE r.key_id = k.id AND r.role_id = ${roleId}::uuid))
    AND (${enabled}::boolean IS NULL OR k.enabled = ${enabled})
    AND (${unusedSince}::timestamptz IS NULL OR coalesce(k.last_used_at, k.created_at) < ${unusedSince})
    AND (${expiresBefore}::timestamptz IS NULL OR k.expires_at < ${expiresBefore})`
  return tx.$queryRaw<KeyRow[]>`${selectKeys(condition)} ORDER BY k.id DESC LIMIT ${limit + 1}`
}

/** Of all keys: a tenant has at most `keysMax`. */
export function listNames(tx: Tx, tenantId: string): Promise<{ id: string; name: string }[]> {
  return tx.key.findMany({ where: { tenantId }, select: { id: true, name: true } })
}

export async function insertKey(tx: Tx, tenantId: string, key: KeyInsert, roleIds: readonly string[]): Promise<KeyRow> {
  const roles = { createMany: { data: roleIds.map((roleId) => ({ tenantId, roleId })) } }
  await tx.key.create({ data: { ...key, tenantId, roles }, select: { id: true } })
  return readWrittenKey(tx, tenantId, key.id)
}

export type KeyChanges = Partial<Pick<KeyModel, 'name' | 'description' | 'enabled' | 'expiresAt' | 'allowedCidrs'>>

export async function update(tx: Tx, tenantId: string, keyId: string, changes: KeyChanges): Promise<KeyRow> {
  await tx.key.update({ where: { id: keyId, tenantId }, data: changes, select: { id: true } })
  return readWrittenKey(tx, tenantId, keyId)
}

export async function replaceRoles(
  tx: Tx,
  tenantId: string,
  keyId: string,
  roleIds: readonly string[],
): Promise<KeyRow> {
  const roles = { deleteMany: {}, createMany: { data: roleIds.map((roleId) => ({ tenantId, roleId })) } }
  const data = { roles, updatedAt: new Date() }
  await tx.key.update({ where: { id: keyId, tenantId }, data, select: { id: true } })
  return readWrittenKey(tx, tenantId, keyId)
}

export function countWithRole(tx: Tx, tenantId: string, roleId: string): Promise<number> {
  return tx.keyRole.count({ where: { tenantId, roleId } })
}

/** Deletes the row of the key, and its roles and previous value by cascade. */
export async function remove(tx: Tx, tenantId: string, keyId: string): Promise<void> {
  await tx.key.delete({ where: { id: keyId, tenantId }, select: { id: true } })
}

export interface KeyUse {
  readonly tenantId: string
  readonly keyId: string
  readonly usedAt: Date
}

/**
 * Across tenants: stores the latest use of each key at most once a minute. A use in the future is stored as now. Rows
 * are locked in the order of their ids, so concurrent reports do not deadlock.
 * Returns the number of updated keys.
 */
export function recordUses(tx: Tx, uses: readonly KeyUse[]): Promise<number> {
  const rows = uses.map(({ tenantId, keyId, usedAt }) => ({ id: keyId, tenant_id: tenantId, used_at: usedAt }))
  return tx.$executeRaw`
    WITH latest AS (
      SELECT id, tenant_id, least(max(used_at), clock_timestamp()) AS used_at
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS used (id uuid, tenant_id uuid, used_at timestamptz)
       GROUP BY id, tenant_id
    ), due AS (
      SELECT k.id, latest.used_at FROM latest JOIN keys k ON k.id = latest.id AND k.tenant_id = latest.tenant_id
       WHERE k.last_used_at IS NULL OR k.last_used_at <= latest.used_at - interval '1 minute'
       ORDER BY k.id FOR NO KEY UPDATE OF k
    )
    UPDATE keys SET last_used_at = due.used_at FROM due WHERE keys.id = due.id`
}
