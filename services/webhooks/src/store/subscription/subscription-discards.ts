import type { Tx } from '../database.ts'

const noId = '00000000-0000-0000-0000-000000000000'

/** A deleted subscription, until its tombstone is deleted. */
export interface SubscriptionDiscard {
  /** The id of the subscription. */
  readonly id: string
  readonly tenantId: string
  /** The last delivery that was looked at. Null: none. */
  readonly position: string | null
  /** The subscription was deleted then. */
  readonly deletedAt: Date
}

export async function insertSubscriptionDiscard(tx: Tx, tenantId: string, subscriptionId: string): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO subscription_discards (id, tenant_id, due_at)
    VALUES (${subscriptionId}::uuid, ${tenantId}::uuid, date_trunc('milliseconds', clock_timestamp()))`
}

export async function readSubscriptionDiscard(tx: Tx, id: string): Promise<SubscriptionDiscard> {
  const [row] = await tx.$queryRaw<[SubscriptionDiscard]>`
    SELECT d.id::text, d.tenant_id::text AS "tenantId", d.position::text, s.deleted_at AS "deletedAt"
    FROM subscription_discards d JOIN subscriptions s ON s.id = d.id AND s.tenant_id = d.tenant_id
    WHERE d.id = ${id}::uuid`
  return row
}

/** The next batch is due at once. `last`: the last delivery that was looked at. */
export async function continueSubscriptionDiscard(
  tx: Tx,
  { id, tenantId }: SubscriptionDiscard,
  last: string,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE subscription_discards SET position = ${last}::uuid, failures = 0
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid`
}

/** Looks at the deliveries again from `dueAt`, beginning with the first. */
export async function restartSubscriptionDiscard(
  tx: Tx,
  { id, tenantId }: SubscriptionDiscard,
  dueAt: Date,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE subscription_discards SET position = NULL, failures = 0, due_at = ${dueAt}
    WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid`
}

/** Deletes the row of a deleted subscription without deliveries, with its destination. */
export async function deleteTombstone(tx: Tx, { id, tenantId }: SubscriptionDiscard): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM subscriptions WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid AND deleted_at IS NOT NULL`
  await tx.$executeRaw`DELETE FROM destinations WHERE tenant_id = ${tenantId}::uuid AND subscription_id = ${id}::uuid`
  await tx.$executeRaw`DELETE FROM subscription_discards WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid`
}

export interface LookedAt {
  readonly id: string
  readonly isFinal: boolean
}

/**
 * The next `rowsMax` deliveries of a subscription in the order of their ids. A range of one subscription in place of
 * its id: only the index of subscriptions has the order, whatever the statistics say.
 */
export function listDeliveriesAfter(
  tx: Tx,
  tenantId: string,
  subscriptionId: string,
  { after, rowsMax }: { readonly after: string | null; readonly rowsMax: number },
): Promise<LookedAt[]> {
  return tx.$queryRaw<LookedAt[]>`
    SELECT id::text AS id, status IN ('delivered', 'discarded') AS "isFinal" FROM deliveries
    WHERE subscription_id BETWEEN ${subscriptionId}::uuid AND ${subscriptionId}::uuid AND tenant_id = ${tenantId}::uuid
      AND id > ${after ?? noId}::uuid
    ORDER BY subscription_id, id LIMIT ${rowsMax}::int`
}

/**
 * When the event of the newest delivery of a subscription happened. Null without deliveries. A range, as above.
 */
export async function newestDeliveryAt(tx: Tx, tenantId: string, subscriptionId: string): Promise<Date | null> {
  const [row] = await tx.$queryRaw<{ occurredAt: Date }[]>`
    SELECT occurred_at AS "occurredAt" FROM deliveries
    WHERE subscription_id BETWEEN ${subscriptionId}::uuid AND ${subscriptionId}::uuid AND tenant_id = ${tenantId}::uuid
    ORDER BY subscription_id DESC, id DESC LIMIT 1`
  return row?.occurredAt ?? null
}
