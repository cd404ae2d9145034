import type { Tx } from './database.ts'

/** A deleted subscription whose unfinished deliveries are not all discarded. */
export interface SubscriptionDiscard {
  /** The id of the subscription. */
  readonly id: string
  readonly tenantId: string
  /** The last delivery that was looked at. Null: none. */
  readonly position: string | null
}

export async function insertSubscriptionDiscard(tx: Tx, tenantId: string, subscriptionId: string): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO subscription_discards (id, tenant_id, due_at)
    VALUES (${subscriptionId}::uuid, ${tenantId}::uuid, date_trunc('milliseconds', clock_timestamp()))`
}

export async function readSubscriptionDiscard(tx: Tx, id: string): Promise<SubscriptionDiscard> {
  const [row] = await tx.$queryRaw<[SubscriptionDiscard]>`
    SELECT id::text, tenant_id::text AS "tenantId", position::text FROM subscription_discards WHERE id = ${id}::uuid`
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

/** After a failure: due again after a minute, twice as long after each further one, and at most an hour. */
export async function postponeSubscriptionDiscard(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE subscription_discards AS d SET failures = d.failures + 1,
      due_at = clock_timestamp() + least(60, 2 ^ least(d.failures, 6)) * interval '1 minute'
    WHERE d.id = ${id}::uuid`
}

export async function endSubscriptionDiscard(tx: Tx, { id, tenantId }: SubscriptionDiscard): Promise<void> {
  await tx.$executeRaw`DELETE FROM subscription_discards WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid`
}
