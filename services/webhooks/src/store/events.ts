import type { ExplainedSubscription } from '../domain/explain.ts'
import type { EventModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type EventRow = EventModel

/** The newest where an id was used twice. Null where it is of another unit. */
export function findEvent(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  tenantEventId: string,
): Promise<EventRow | null> {
  return tx.event.findFirst({
    where: { tenantId, tenantEventId, OR: [{ businessUnitId }, { businessUnitId: null }] },
    orderBy: { occurredAt: 'desc' },
  })
}

const subscriptionsMax = 1_000

export interface MatchedEvent {
  readonly tenantEventId: string
  readonly occurredAt: Date
  /** What a subscription may name to get it. */
  readonly patterns: readonly string[]
}

/**
 * The subscriptions of a unit with the event's delivery to each, by id: those that are there, and those deleted since it
 * happened. A delivery's id begins with the instant of its event, so few rows are looked at.
 */
export async function listSubscriptionsOfEvent(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  { tenantEventId, occurredAt, patterns }: MatchedEvent,
): Promise<ExplainedSubscription[]> {
  const subscriptions = await tx.$queryRawUnsafe<Omit<ExplainedSubscription, 'delivery'>[]>(
    `SELECT s.id, s.enabled, s.created_at AS "createdAt", s.updated_at AS "updatedAt", s.deleted_at AS "deletedAt",
       cardinality(s.event_types) = 0 OR s.event_types && $3::text[] AS matches, t.breaker::text AS breaker, t.opened_at AS "openedAt"
     FROM subscriptions s LEFT JOIN destinations t ON t.subscription_id = s.id
     WHERE s.tenant_id = $1::uuid AND s.business_unit_id = $2::uuid AND (s.deleted_at IS NULL OR s.deleted_at >= $4::timestamptz)
     ORDER BY s.id LIMIT $5::int`,
    tenantId,
    businessUnitId,
    patterns,
    occurredAt.toISOString(),
    subscriptionsMax,
  )
  const { from, to } = idsOfInstants(occurredAt, occurredAt)
  const deliveries = await tx.delivery.findMany({
    where: { tenantId, businessUnitId, tenantEventId, id: { gte: from, lte: to } },
    omit: { body: true },
  })
  const bySubscription = new Map(deliveries.map((delivery) => [delivery.subscriptionId, delivery]))
  return subscriptions.map((one) => ({ ...one, delivery: bySubscription.get(one.id) ?? null }))
}

/** The ids that deliveries of events of a range have: from the first millisecond to the last. */
export function idsOfInstants(since: Date, until: Date): { from: string; to: string } {
  const bound = (instant: Date, rest: string) => {
    const hex = instant.getTime().toString(16).padStart(12, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-${rest}`
  }
  return { from: bound(since, '0000-0000-000000000000'), to: bound(until, 'ffff-ffff-ffffffffffff') }
}
