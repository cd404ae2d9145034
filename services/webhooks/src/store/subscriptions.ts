import type { SubscriptionModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type SubscriptionRow = SubscriptionModel

export type SubscriptionInsert = Pick<
  SubscriptionRow,
  'id' | 'businessUnitId' | 'destinationUrl' | 'label' | 'eventTypes' | 'secretMasked'
> & { secretSealed: Uint8Array<ArrayBuffer> }

export type SubscriptionChange = Partial<Pick<SubscriptionRow, 'destinationUrl' | 'label' | 'eventTypes'>>

/** Whoever counts a unit's subscriptions to add one waits for others who do the same. */
export async function lockUnit(tx: Tx, tenantId: string, businessUnitId: string): Promise<void> {
  const name = `subscriptions:${tenantId}:${businessUnitId}`
  await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, name)
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

/** Whether anything may be sent for it; it stays so until the end of the transaction. */
export async function holdSubscription(
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

/** Newest first; one more than `limit`, so that the caller knows whether there is a next page. */
export function listSubscriptions(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<SubscriptionRow[]> {
  return tx.subscription.findMany({
    where: { tenantId, businessUnitId, deletedAt: null, ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
}

/** Undefined where there is none. */
export async function updateSubscription(
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

/** Leaves a tombstone without the secret. False where there is none. */
export async function removeSubscription(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  subscriptionId: string,
): Promise<boolean> {
  const { count } = await tx.subscription.updateMany({
    where: { tenantId, businessUnitId, id: subscriptionId, deletedAt: null },
    data: { deletedAt: new Date(), secretSealed: null },
  })
  return count === 1
}

/** Its deliveries are held from now on. False where it was disabled already, or is deleted. */
export async function disableSubscription(tx: Tx, tenantId: string, subscriptionId: string): Promise<boolean> {
  const { count } = await tx.subscription.updateMany({
    where: { tenantId, id: subscriptionId, enabled: true, deletedAt: null },
    data: { enabled: false },
  })
  return count === 1
}

/** Where a subscription leads, or led: that of a tombstone too. */
export async function destinationUrlOf(tx: Tx, tenantId: string, subscriptionId: string): Promise<string> {
  const where = { tenantId, id: subscriptionId }
  const { destinationUrl } = await tx.subscription.findFirstOrThrow({ where, select: { destinationUrl: true } })
  return destinationUrl
}
