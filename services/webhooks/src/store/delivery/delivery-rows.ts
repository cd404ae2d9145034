import type { StoredDelivery } from '../../domain/delivery/delivery.ts'
import type { DeliveryModel } from '../../generated/models.ts'
import type { Tx } from '../database.ts'

/** Deliveries as the API shows them, without their body. */

/** The URL that the last attempt of `d` was sent to, or the URL of its subscription `s`. */
export const destinationUrlSql = `coalesce((SELECT a.destination_url FROM attempts a
  WHERE a.delivery_id = d.id AND a.number = d.attempt_count AND a.tenant_id = d.tenant_id), s.destination_url)`

/** The columns of `StoredDelivery`: of a delivery `d`, its subscription `s` and its destination `t`. */
export const deliveryColumns = `d.id, d.tenant_id AS "tenantId", d.subscription_id AS "subscriptionId",
  d.business_unit_id AS "businessUnitId", d.tenant_event_id AS "tenantEventId", d.event_type AS "eventType",
  d.occurred_at AS "occurredAt", d.status::text AS status, d.attempt_count AS "attemptCount",
  d.next_attempt_at AS "nextAttemptAt", d.trace_id AS "traceId", d.task_id AS "taskId", d.backlogged,
  d.created_at AS "createdAt", d.updated_at AS "updatedAt", ${destinationUrlSql} AS "destinationUrl",
  s.enabled, s.updated_at AS "subscriptionUpdatedAt", t.breaker::text AS breaker, t.opened_at AS "openedAt",
  t.probe_at AS "probeAt"`

/** The tables of `deliveryColumns` beside `d`. */
export const withTargetSql = `JOIN subscriptions s ON s.id = d.subscription_id AND s.tenant_id = d.tenant_id
  LEFT JOIN destinations t ON t.subscription_id = d.subscription_id AND t.tenant_id = d.tenant_id`

/** A row of `deliveryColumns`. */
export type DeliveryRow = Omit<StoredDelivery, 'sourceTraceId'> & { readonly occurredAt: Date }

export async function findDelivery(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  deliveryId: string,
): Promise<StoredDelivery | null> {
  const rows = await tx.$queryRawUnsafe<DeliveryRow[]>(
    `SELECT ${deliveryColumns} FROM deliveries d ${withTargetSql}
     WHERE d.tenant_id = $1::uuid AND d.business_unit_id = $2::uuid AND d.id = $3::uuid`,
    tenantId,
    businessUnitId,
    deliveryId,
  )
  const [found = null] = await withSource(tx, tenantId, rows)
  return found
}

/** Locks the delivery, so that its status stays unchanged until the commit. */
export async function lockDelivery(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  deliveryId: string,
): Promise<StoredDelivery | null> {
  await tx.$executeRawUnsafe(
    `SELECT 1 FROM deliveries WHERE id = $1::uuid AND tenant_id = $2::uuid FOR UPDATE`,
    deliveryId,
    tenantId,
  )
  return findDelivery(tx, tenantId, businessUnitId, deliveryId)
}

/**
 * Adds the trace id of the request that caused the event to deliveries of one page. Null when the event is no longer
 * stored. The instants of the events limit the partitions to search.
 */
export async function withSource<D extends Pick<DeliveryModel, 'tenantEventId' | 'occurredAt'>>(
  tx: Tx,
  tenantId: string,
  deliveries: readonly D[],
): Promise<(D & { readonly sourceTraceId: string | null })[]> {
  if (deliveries.length === 0) return []
  const instants = deliveries.map(({ occurredAt }) => occurredAt.getTime())
  const events = await tx.event.findMany({
    where: {
      tenantId,
      tenantEventId: { in: deliveries.map(({ tenantEventId }) => tenantEventId) },
      occurredAt: { gte: new Date(Math.min(...instants)), lte: new Date(Math.max(...instants)) },
    },
    select: { tenantEventId: true, traceId: true },
  })
  const traceIds = new Map(events.map(({ tenantEventId, traceId }) => [tenantEventId, traceId]))
  return deliveries.map((delivery) => ({ ...delivery, sourceTraceId: traceIds.get(delivery.tenantEventId) ?? null }))
}
