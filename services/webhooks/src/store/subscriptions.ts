import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { inIndexOrder } from '@payments/chassis/database/index-order'
import type { SubscriptionModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type SubscriptionRow = SubscriptionModel

export type SubscriptionInsert = Pick<
  SubscriptionRow,
  'id' | 'businessUnitId' | 'destinationUrl' | 'label' | 'eventTypes' | 'webhookAuthInfoId' | 'enabled' | 'secretMasked'
> & { secretEncrypted: Uint8Array<ArrayBuffer> }

export type SubscriptionChange = Partial<
  Pick<SubscriptionRow, 'destinationUrl' | 'label' | 'eventTypes' | 'webhookAuthInfoId' | 'enabled'>
>

/** Serializes transactions that count the subscriptions of a business unit to add one. */
export async function lockSubscriptionsOfUnit(tx: Tx, tenantId: string, businessUnitId: string): Promise<void> {
  await lockForTransaction(tx, `subscriptions:${tenantId}:${businessUnitId}`)
}

export function countSubscriptions(tx: Tx, tenantId: string, businessUnitId: string): Promise<number> {
  return tx.subscription.count({ where: { tenantId, businessUnitId, deletedAt: null } })
}

export function insertSubscription(tx: Tx, tenantId: string, insert: SubscriptionInsert): Promise<SubscriptionRow> {
  return tx.subscription.create({ data: { ...insert, tenantId } })
}

export function findSubscription(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  subscriptionId: string,
): Promise<SubscriptionRow | null> {
  return tx.subscription.findFirst({ where: { tenantId, businessUnitId, id: subscriptionId, deletedAt: null } })
}

/** The state of a subscription, which a lock keeps until the end of the transaction. */
export async function shareLockSubscription(
  tx: Tx,
  tenantId: string,
  subscriptionId: string,
): Promise<'active' | 'disabled' | 'deleted'> {
  const [row] = await tx.$queryRawUnsafe<{ enabled: boolean; deleted: boolean }[]>(
    `SELECT enabled, deleted_at IS NOT NULL AS deleted FROM subscriptions
     WHERE tenant_id = $1::uuid AND id = $2::uuid FOR SHARE`,
    tenantId,
    subscriptionId,
  )
  if (row === undefined || row.deleted) return 'deleted'
  return row.enabled ? 'active' : 'disabled'
}

interface PageBounds {
  readonly before: string | undefined
  readonly limit: number
}

/** Newest first; one more than `limit`. */
export function list(tx: Tx, tenantId: string, businessUnitId: string, page: PageBounds): Promise<SubscriptionRow[]> {
  return readPage(tx, tenantId, { businessUnitId }, page)
}

/** As `list`, of every business unit or of one. */
export function listOfTenant(
  tx: Tx,
  tenantId: string,
  businessUnitId: string | undefined,
  page: PageBounds,
): Promise<SubscriptionRow[]> {
  const ofUnit = businessUnitId === undefined ? {} : { businessUnitId }
  return inIndexOrder(tx, () => readPage(tx, tenantId, ofUnit, page))
}

function readPage(
  tx: Tx,
  tenantId: string,
  ofUnit: { businessUnitId?: string },
  { before, limit }: PageBounds,
): Promise<SubscriptionRow[]> {
  return tx.subscription.findMany({
    where: { tenantId, ...ofUnit, deletedAt: null, ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
}

/** Undefined when there is no such subscription. */
export async function update(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  subscriptionId: string,
  change: SubscriptionChange,
): Promise<SubscriptionRow | undefined> {
  const where = { tenantId, businessUnitId, id: subscriptionId, deletedAt: null }
  const [row] = await tx.subscription.updateManyAndReturn({ where, data: change })
  return row
}

/** Locks the subscription until the end of the transaction. */
export async function lockSubscription(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  subscriptionId: string,
): Promise<SubscriptionRow | null> {
  await lockSubscriptionRow(tx, tenantId, subscriptionId)
  return findSubscription(tx, tenantId, businessUnitId, subscriptionId)
}

/** As lockSubscription, in any business unit. A transaction locks the subscription before its deliveries. */
export async function lockSubscriptionRow(tx: Tx, tenantId: string, subscriptionId: string): Promise<void> {
  await tx.$queryRawUnsafe(
    `SELECT id FROM subscriptions WHERE tenant_id = $1::uuid AND id = $2::uuid FOR NO KEY UPDATE`,
    tenantId,
    subscriptionId,
  )
}

/**
 * Replaces the secret. The previous secret also signs for `graceSeconds`; with 0 it is deleted. Undefined when there
 * is no such subscription.
 */
export async function replaceSecret(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  subscriptionId: string,
  { graceSeconds, ...secret }: { secretEncrypted: Uint8Array; secretMasked: string; graceSeconds: number },
): Promise<SubscriptionRow | undefined> {
  await tx.$executeRawUnsafe(
    `UPDATE subscriptions SET secret_encrypted = $4, secret_masked = $5, updated_at = now(),
       previous_secret_encrypted = CASE WHEN $6::int > 0 THEN secret_encrypted END,
       previous_secret_expires_at = CASE WHEN $6::int > 0 THEN now() + $6::int * interval '1 second' END
     WHERE tenant_id = $1::uuid AND business_unit_id = $2::uuid AND id = $3::uuid AND deleted_at IS NULL`,
    tenantId,
    businessUnitId,
    subscriptionId,
    secret.secretEncrypted,
    secret.secretMasked,
    graceSeconds,
  )
  return (await findSubscription(tx, tenantId, businessUnitId, subscriptionId)) ?? undefined
}

/** Deletes previous secrets after their grace period, at most `rowsMax` at a time. */
export function deletePreviousSecrets(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `UPDATE subscriptions SET previous_secret_encrypted = NULL, previous_secret_expires_at = NULL
     WHERE id = ANY (ARRAY
       (SELECT id FROM subscriptions WHERE previous_secret_expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    rowsMax,
  )
}

/**
 * Deletes the subscription except for a tombstone without secrets, which store/subscription-discards.ts deletes. False
 * when there is no such subscription.
 */
export async function removeSubscription(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  subscriptionId: string,
): Promise<boolean> {
  const { count } = await tx.subscription.updateMany({
    where: { tenantId, businessUnitId, id: subscriptionId, deletedAt: null },
    data: {
      deletedAt: new Date(),
      webhookAuthInfoId: null,
      secretEncrypted: null,
      previousSecretEncrypted: null,
      previousSecretExpiresAt: null,
    },
  })
  return count === 1
}
