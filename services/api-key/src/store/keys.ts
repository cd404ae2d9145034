import { idsThatBeginWith } from '@payments/chassis/base/id'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { KeyFilter } from '../domain/key.ts'
import type { Prisma } from '../generated/client.ts'
import type { KeyModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

type KeyColumns = Omit<KeyModel, 'valueEncrypted' | 'pepperKid' | 'indexHmac'>

/** A key with its roles and without its value, which only `store/values.ts` reads. */
export type KeyRow = KeyColumns & {
  roles: { roleId: string }[]
  /** The value from before the last rotation, until it is purged. */
  previous: { endsAt: Date } | null
}

const shown = {
  omit: { valueEncrypted: true, pepperKid: true, indexHmac: true },
  include: { roles: { select: { roleId: true } }, previous: { select: { endsAt: true } } },
} as const

type KeyInsert = Pick<
  KeyModel,
  | 'id'
  | 'name'
  | 'description'
  | 'environment'
  | 'maskedValue'
  | 'valueEncrypted'
  | 'pepperKid'
  | 'indexHmac'
  | 'expiresAt'
  | 'allowedCidrs'
  | 'createdBy'
>

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

export function insertKey(tx: Tx, tenantId: string, key: KeyInsert, roleIds: readonly string[]): Promise<KeyRow> {
  const roles = { createMany: { data: roleIds.map((roleId) => ({ tenantId, roleId })) } }
  return tx.key.create({ data: { ...key, tenantId, roles }, ...shown })
}

/** One statement: Prisma would read roles and previous value by two more. */
export async function findKey(tx: Tx, tenantId: string, keyId: string): Promise<KeyRow | null> {
  const [found] = await tx.$queryRawUnsafe<(KeyColumns & { roleIds: string[]; previousEndsAt: Date | null })[]>(
    `SELECT k.id, k.tenant_id AS "tenantId", k.name, k.description, k.environment::text AS environment,
            k.masked_value AS "maskedValue", k.enabled, k.expires_at AS "expiresAt",
            k.allowed_cidrs AS "allowedCidrs", k.created_at AS "createdAt", k.created_by AS "createdBy",
            k.updated_at AS "updatedAt", k.last_used_at AS "lastUsedAt", k.rotation, p.ends_at AS "previousEndsAt",
            ARRAY(SELECT r.role_id FROM key_roles r WHERE r.key_id = k.id ORDER BY r.role_id) AS "roleIds"
       FROM keys k LEFT JOIN previous_values p ON p.key_id = k.id
      WHERE k.tenant_id = $1::uuid AND k.id = $2::uuid`,
    tenantId,
    keyId,
  )
  if (found === undefined) return null
  const { roleIds, previousEndsAt, ...columns } = found
  const previous = previousEndsAt === null ? null : { endsAt: previousEndsAt }
  return { ...columns, roles: roleIds.map((roleId) => ({ roleId })), previous }
}

/** As findKey; concurrent changes of the key wait until this transaction ends. */
export async function lockKey(tx: Tx, tenantId: string, keyId: string): Promise<KeyRow | null> {
  await tx.$queryRawUnsafe(
    `SELECT 1 FROM keys WHERE tenant_id = $1::uuid AND id = $2::uuid FOR UPDATE`,
    tenantId,
    keyId,
  )
  return findKey(tx, tenantId, keyId)
}

/** Newest first; one more than `limit`. `found`: the ids of the keys whose name has `search`. */
export async function list(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
  { search, found = [], ...filter }: KeyFilter & { readonly found?: readonly string[] },
): Promise<KeyRow[]> {
  const ids = search === undefined ? null : idsThatBeginWith(search)
  const byId = ids === null ? [] : [{ id: { gte: ids.first, lte: ids.last } }]
  const searched = search === undefined ? {} : { AND: { OR: [{ id: { in: [...found] } }, ...byId] } }
  return tx.key.findMany({
    where: {
      tenantId,
      ...(before === undefined ? {} : { id: { lt: before } }),
      ...buildCondition(filter),
      ...searched,
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
    ...shown,
  })
}

function buildCondition({
  name,
  roleId,
  enabled,
  unusedSince,
  expiresBefore,
}: Omit<KeyFilter, 'search'>): Prisma.KeyWhereInput {
  const isUnused = unusedSince && [
    { lastUsedAt: { lt: unusedSince } },
    { lastUsedAt: null, createdAt: { lt: unusedSince } },
  ]
  return {
    ...(name === undefined ? {} : { name }),
    ...(roleId === undefined ? {} : { roles: { some: { roleId } } }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(isUnused === undefined ? {} : { OR: isUnused }),
    ...(expiresBefore === undefined ? {} : { expiresAt: { lt: expiresBefore } }),
  }
}

/** Of all keys: a tenant has at most `keysMax`. */
export function listNames(tx: Tx, tenantId: string): Promise<{ id: string; name: string }[]> {
  return tx.$queryRawUnsafe('SELECT id::text AS id, name FROM keys WHERE tenant_id = $1::uuid', tenantId)
}

export type KeyChanges = Partial<Pick<KeyModel, 'name' | 'description' | 'enabled' | 'expiresAt' | 'allowedCidrs'>>

export function update(tx: Tx, tenantId: string, keyId: string, changes: KeyChanges): Promise<KeyRow> {
  return tx.key.update({ where: { id: keyId, tenantId }, data: changes, ...shown })
}

export function replaceRoles(tx: Tx, tenantId: string, keyId: string, roleIds: readonly string[]): Promise<KeyRow> {
  const roles = { deleteMany: {}, createMany: { data: roleIds.map((roleId) => ({ tenantId, roleId })) } }
  return tx.key.update({ where: { id: keyId, tenantId }, data: { roles, updatedAt: new Date() }, ...shown })
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
