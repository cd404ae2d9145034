import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { inIndexOrder } from '@payments/chassis/database/index-order'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { type SubscriptionDisabled, webhooks } from '@payments/contracts/services/webhooks/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { SubscriptionModel } from '../../generated/models.ts'
import type { Tx } from '../database.ts'

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

/** Newest first; one more than `limit`. `businessUnitId` undefined: of every business unit. */
export function list(
  tx: Tx,
  tenantId: string,
  businessUnitId: string | undefined,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<SubscriptionRow[]> {
  const where = { tenantId, deletedAt: null, id: definedMembers({ lt: before }), ...definedMembers({ businessUnitId }) }
  return inIndexOrder(tx, () => tx.subscription.findMany({ where, orderBy: { id: 'desc' }, take: limit + 1 }))
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
 * Deletes the subscription except for a tombstone without secrets, which store/subscription/subscription-discards.ts
 * deletes. False when there is no such subscription.
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

/**
 * Disables a subscription because of a response of its destination, and emits the event, in one transaction. False when
 * the subscription is already disabled or deleted: of ten calls at once, one emits the event.
 */
export async function disableSubscription(
  tx: Tx,
  tenantId: string,
  subscriptionId: string,
  { reason, traceId }: { reason: SubscriptionDisabled['reason']; traceId: string },
): Promise<boolean> {
  const [row]: SubscriptionModel[] = await tx.subscription.updateManyAndReturn({
    where: { tenantId, id: subscriptionId, enabled: true, deletedAt: null },
    data: { enabled: false },
  })
  if (row === undefined) return false
  const { id, businessUnitId, destinationUrl: destination_url, label } = row
  const payload = { id, destination_url, label, reason, updated_at: row.updatedAt.toISOString() }
  const type = 'webhooks.subscriptions.disabled'
  await emit(tx, webhooks.events, { type, tenantId, businessUnitId, traceId, payload })
  return true
}
