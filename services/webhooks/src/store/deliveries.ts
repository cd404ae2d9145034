import { attemptsShownMax } from '@payments/contracts/services/webhooks/delivery'
import type { Selection } from '../domain/dead-letter.ts'
import type { AttemptModel, DeliveryModel } from '../generated/models.ts'
import type { Tx } from './database.ts'
import { destinationUrlOf } from './subscriptions.ts'

/** Reads omit the body. */
export type DeliveryRow = Omit<DeliveryModel, 'body'> & EventSource & { readonly destinationUrl: string }

/** The trace id of the request that caused the event. Null when the event is no longer stored. */
interface EventSource {
  readonly sourceTraceId: string | null
}

const withoutBody = { omit: { body: true } } as const

export async function findDelivery(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  deliveryId: string,
): Promise<DeliveryRow | null> {
  const row = await tx.delivery.findFirst({ where: { tenantId, businessUnitId, id: deliveryId }, ...withoutBody })
  if (row === null) return null
  const [found = null] = await withSource(tx, tenantId, [
    { ...row, destinationUrl: await destinationUrlOf(tx, tenantId, row.subscriptionId) },
  ])
  return found
}

/** Locks the delivery, so that its status stays unchanged until the commit. */
export async function lockDelivery(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  deliveryId: string,
): Promise<DeliveryRow | null> {
  await tx.$executeRawUnsafe(
    `SELECT 1 FROM deliveries WHERE id = $1::uuid AND tenant_id = $2::uuid FOR UPDATE`,
    deliveryId,
    tenantId,
  )
  return findDelivery(tx, tenantId, businessUnitId, deliveryId)
}

/** Adds the source to deliveries of one page. The instants of the events limit the partitions to search. */
export async function withSource<D extends Pick<DeliveryModel, 'tenantEventId' | 'occurredAt'>>(
  tx: Tx,
  tenantId: string,
  deliveries: readonly D[],
): Promise<(D & EventSource)[]> {
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

/** The body that the receiver gets, rendered when the row has none. Null when the event is no longer stored either. */
export async function bodyOf(tx: Tx, tenantId: string, deliveryId: string): Promise<string | null> {
  const [row] = await tx.$queryRawUnsafe<{ body: string | null }[]>(
    `SELECT convert_from(coalesce(d.body, CASE WHEN e.payload IS NOT NULL THEN webhooks_body(d.trace_id, d.tenant_id,
       d.event_type, e.payload, d.business_unit_id, d.tenant_event_id) END), 'UTF8') AS body
     FROM deliveries d LEFT JOIN events e
       ON (e.tenant_id, e.tenant_event_id, e.occurred_at) = (d.tenant_id, d.tenant_event_id, d.occurred_at)
     WHERE d.tenant_id = $1::uuid AND d.id = $2::uuid`,
    tenantId,
    deliveryId,
  )
  return row?.body ?? null
}

/** The latest attempts, oldest first. */
export async function listLatestAttempts(tx: Tx, tenantId: string, deliveryId: string): Promise<AttemptModel[]> {
  const latest = { orderBy: { number: 'desc' }, take: attemptsShownMax } as const
  return (await tx.attempt.findMany({ where: { tenantId, deliveryId }, ...latest })).reverse()
}

const held = `d.tenant_id = $1::uuid AND d.subscription_id = $2::uuid AND d.backlogged AND d.status = 'held'`

/** Locks deliveries that are held for a subscription and were created by `heldBy`, oldest events first. */
export async function lockHeld(
  tx: Tx,
  tenantId: string | null,
  { subscriptionId }: Selection,
  { heldBy, rowsMax }: { heldBy: Date; rowsMax: number },
): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT d.id FROM deliveries d WHERE ${held} AND d.created_at <= $3::timestamptz ORDER BY d.id LIMIT $4::int FOR UPDATE`,
    tenantId,
    subscriptionId,
    heldBy.toISOString(),
    rowsMax,
  )
  return rows.map(({ id }) => id)
}

export async function countHeld(tx: Tx, tenantId: string, subscriptionId: string): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM deliveries d WHERE ${held}`,
    tenantId,
    subscriptionId,
  )
  return row.count
}
