import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { subscriptionCountMax, subscriptionIdsMax } from '@payments/contracts/services/webhooks/auth-info'
import { type AuthInfoUse, unused } from '../../domain/auth-info/auth-info.ts'
import type { AuthInfoModel } from '../../generated/models.ts'
import type { Tx } from '../database.ts'

export type AuthInfoRow = AuthInfoModel

export type AuthInfoInsert = Pick<AuthInfoRow, 'id' | 'name' | 'type' | 'hosts'> & StoredConfig

interface StoredConfig {
  readonly configEncrypted: Uint8Array<ArrayBuffer>
  readonly configMasked: object
}

export type AuthInfoChange = Partial<Pick<AuthInfoRow, 'name' | 'hosts'>> & {
  readonly config?: Pick<AuthInfoRow, 'type'> & StoredConfig
}

/** Serializes transactions that count the auth infos of a tenant to add one. */
export async function lockAuthInfos(tx: Tx, tenantId: string): Promise<void> {
  await lockForTransaction(tx, `auth_infos:${tenantId}`)
}

export function countAuthInfos(tx: Tx, tenantId: string): Promise<number> {
  return tx.authInfo.count({ where: { tenantId } })
}

export function insertAuthInfo(tx: Tx, tenantId: string, insert: AuthInfoInsert): Promise<AuthInfoRow> {
  return tx.authInfo.create({ data: { ...insert, tenantId } })
}

export function findAuthInfo(tx: Tx, tenantId: string, authInfoId: string): Promise<AuthInfoRow | null> {
  return tx.authInfo.findFirst({ where: { tenantId, id: authInfoId } })
}

/**
 * Locks the auth info until the end of the transaction. `share`: it stays unchanged. `change`: the caller may change or
 * delete it. So a transaction that refers to an auth info and one that deletes it wait for each other.
 */
export async function lockAuthInfo(
  tx: Tx,
  tenantId: string,
  authInfoId: string,
  purpose: 'share' | 'change',
): Promise<AuthInfoRow | null> {
  await tx.$queryRawUnsafe(
    `SELECT id FROM auth_infos WHERE tenant_id = $1::uuid AND id = $2::uuid FOR ${purpose === 'share' ? 'SHARE' : 'UPDATE'}`,
    tenantId,
    authInfoId,
  )
  return findAuthInfo(tx, tenantId, authInfoId)
}

/** Newest first; one more than `limit`; without the encrypted config. */
export function list(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Omit<AuthInfoRow, 'configEncrypted'>[]> {
  return tx.authInfo.findMany({
    where: { tenantId, id: definedMembers({ lt: before }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
    omit: { configEncrypted: true },
  })
}

/** A new config increments the version. The caller has locked the row. */
export async function update(
  tx: Tx,
  tenantId: string,
  authInfoId: string,
  { config, ...change }: AuthInfoChange,
): Promise<AuthInfoRow> {
  const data = config === undefined ? change : { ...change, ...config, version: { increment: 1 } }
  return tx.authInfo.update({ where: { tenantId, id: authInfoId }, data })
}

export async function remove(tx: Tx, tenantId: string, authInfoId: string): Promise<void> {
  await tx.authInfo.delete({ where: { tenantId, id: authInfoId } })
}

/** The subscriptions that use each auth info, deleted ones left out. */
export async function listUses(
  tx: Tx,
  tenantId: string,
  authInfoIds: readonly string[],
): Promise<ReadonlyMap<string, AuthInfoUse>> {
  const rows = await tx.$queryRawUnsafe<(AuthInfoUse & { readonly id: string })[]>(
    `SELECT g.id, u.ids, u.count FROM unnest($2::uuid[]) AS g(id) CROSS JOIN LATERAL (
       SELECT coalesce((array_agg(s.id::text ORDER BY s.id))[:$3::int], '{}') AS ids, count(*)::int AS count FROM (
         SELECT id FROM subscriptions
         WHERE webhook_auth_info_id = g.id AND tenant_id = $1::uuid AND deleted_at IS NULL
         ORDER BY id LIMIT $4::int) AS s) AS u`,
    tenantId,
    authInfoIds,
    subscriptionIdsMax,
    subscriptionCountMax,
  )
  return new Map(rows.map(({ id, ids, count }) => [id, { ids, count }]))
}

/** As listUses, of one auth info. */
export async function readUse(tx: Tx, tenantId: string, authInfoId: string): Promise<AuthInfoUse> {
  return (await listUses(tx, tenantId, [authInfoId])).get(authInfoId) ?? unused
}

/** Whether a subscription that is not deleted refers to the auth info. */
export async function isInUse(tx: Tx, tenantId: string, authInfoId: string): Promise<boolean> {
  const where = { tenantId, webhookAuthInfoId: authInfoId, deletedAt: null }
  return (await tx.subscription.findFirst({ where, select: { id: true } })) !== null
}
