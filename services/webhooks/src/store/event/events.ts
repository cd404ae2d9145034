import { inIndexOrder } from '@payments/chassis/database/index-order'
import { fewIds } from '@payments/chassis/database/search-ids'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { type Searched, searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import sql from 'sql-template-tag'
import { idsOfInstants } from '../../domain/delivery/delivery-id.ts'
import type { ExplainedSubscription } from '../../domain/delivery/explain.ts'
import type { EventFilter } from '../../domain/event/event.ts'
import type { EventModel } from '../../generated/models.ts'
import type { Tx } from '../database.ts'
import { findPosition } from './unfinished-fan-outs.ts'

export type EventRow = EventModel

/** The newest event with this id. Null for an event of another business unit. */
export function findEvent(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  tenantEventId: string,
): Promise<EventRow | null> {
  return tx.event.findFirst({
    where: { tenantId, tenantEventId, ...reaches(businessUnitId) },
    orderBy: { occurredAt: 'desc' },
  })
}

/** The events of the unit and of the tenant as a whole. */
const reaches = (businessUnitId: string) => ({ OR: [{ businessUnitId }, { businessUnitId: null }] })

/** An event without its payload. */
type ListedEvent = Omit<EventRow, 'payload'> & { readonly id: string }

/** Newest first, searched as deliveries are (delivery-lists.ts). */
export async function list(
  tx: Tx,
  tenantId: string,
  filter: EventFilter,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Searched<ListedEvent, string>> {
  const { businessUnitId, includesTenant, traceId, resourceId, eventType, createdAfter, createdBefore } = filter
  const occurredAt = definedMembers({ gte: createdAfter, lt: createdBefore })
  // The conditions of an index in the order of the list: the events of the tenant, or of a resource.
  const searched = { occurredAt, ...definedMembers({ resourceId }) }
  const found = {
    ...searched,
    ...definedMembers({ traceId, type: eventType }),
    ...(businessUnitId === undefined ? {} : includesTenant ? reaches(businessUnitId) : { businessUnitId }),
  }
  const orderBy = { tenantEventId: 'desc' } as const
  const isBefore = definedMembers({ lt: before })
  const read = async (tenantEventId: object) => {
    const conditions = [found, { tenantEventId: isBefore }, { tenantEventId }]
    const part = { orderBy, take: limit + 1, omit: { payload: true } } as const
    const rows = await tx.event.findMany({ where: { tenantId, AND: conditions }, ...part })
    return rows.map((row) => ({ ...row, id: row.tenantEventId }))
  }
  const few = traceId === undefined ? null : await idsOfTrace(tx, tenantId, traceId)
  if (few !== null) return { rows: await read({}), searchedTo: null }
  return inIndexOrder(tx, async () => {
    const end = { orderBy, skip: searchedRowsMax - 1, select: { tenantEventId: true } } as const
    const last = await tx.event.findFirst({ where: { tenantId, ...searched, tenantEventId: isBefore }, ...end })
    const searchedTo = last?.tenantEventId ?? null
    return { rows: await read(searchedTo === null ? {} : { gte: searchedTo }), searchedTo }
  })
}

/** The events that a request caused, where they are few: a caller may send the same Trace-ID with many requests. */
function idsOfTrace(tx: Tx, tenantId: string, traceId: string): Promise<string[] | null> {
  return fewIds(
    tx,
    sql`SELECT tenant_event_id AS id FROM events WHERE tenant_id = ${tenantId}::uuid AND trace_id = ${traceId}::uuid`,
  )
}

const subscriptionsMax = 1_000
/** Those without a delivery of the event, the first to be deleted after it. */
const deletedMax = 100

export interface MatchedEvent {
  readonly tenantEventId: string
  readonly occurredAt: Date
  /** The entries of `event_types` that match the event. */
  readonly patterns: readonly string[]
}

/**
 * The subscriptions of a business unit with their delivery of the event, by id. Includes subscriptions that were
 * deleted after the event, until their tombstone is deleted. The id of a delivery begins with the instant of its event,
 * which limits the rows to search.
 */
export async function listSubscriptionsOfEvent(
  tx: Tx,
  tenantId: string,
  businessUnitId: string,
  { tenantEventId, occurredAt, patterns }: MatchedEvent,
): Promise<ExplainedSubscription[]> {
  const unfinished = await findPosition(tx, tenantId, { tenantEventId, occurredAt })
  const { from, to } = idsOfInstants(occurredAt, occurredAt)
  const deliveries = await tx.delivery.findMany({
    where: { tenantId, businessUnitId, tenantEventId, id: { gte: from, lte: to } },
    omit: { body: true },
  })
  const bySubscription = new Map(deliveries.map((delivery) => [delivery.subscriptionId, delivery]))
  const subscriptions = await tx.$queryRawUnsafe<Omit<ExplainedSubscription, 'delivery' | 'awaitsFanOut'>[]>(
    `SELECT s.id, s.destination_url AS "destinationUrl", s.label, s.enabled, s.created_at AS "createdAt", s.updated_at AS "updatedAt", s.deleted_at AS "deletedAt",
       cardinality(s.event_types) = 0 OR s.event_types && $3::text[] AS matches, t.breaker::text AS breaker, t.opened_at AS "openedAt"
     FROM (
       (SELECT id FROM subscriptions WHERE tenant_id = $1::uuid AND business_unit_id = $2::uuid AND deleted_at IS NULL
        ORDER BY id LIMIT $5::int)
       UNION (SELECT id FROM subscriptions WHERE tenant_id = $1::uuid AND business_unit_id = $2::uuid AND id = ANY($6::uuid[]))
       UNION (SELECT id FROM subscriptions WHERE tenant_id = $1::uuid AND business_unit_id = $2::uuid
          AND deleted_at >= $4::timestamptz ORDER BY deleted_at LIMIT $7::int)
     ) AS g JOIN subscriptions s ON s.id = g.id AND s.tenant_id = $1::uuid
     LEFT JOIN destinations t ON t.subscription_id = s.id
     ORDER BY s.id LIMIT $5::int`,
    tenantId,
    businessUnitId,
    patterns,
    occurredAt.toISOString(),
    subscriptionsMax,
    [...bySubscription.keys()],
    deletedMax,
  )
  const targets = await lastTargets(tx, tenantId, deliveries, { from, to })
  return subscriptions.map((row) => {
    const delivery = bySubscription.get(row.id) ?? null
    const awaitsFanOut = unfinished !== null && row.id > unfinished
    return { ...row, ...(delivery === null ? {} : targets.get(delivery.id)), delivery, awaitsFanOut }
  })
}

/** Where the last attempt of each delivery was sent, by delivery. */
async function lastTargets(
  tx: Tx,
  tenantId: string,
  deliveries: readonly { readonly id: string; readonly attemptCount: number }[],
  { from, to }: { from: string; to: string },
): Promise<ReadonlyMap<string, Pick<ExplainedSubscription, 'destinationUrl' | 'label'>>> {
  const attempted = deliveries.filter(({ attemptCount }) => attemptCount > 0)
  if (attempted.length === 0) return new Map()
  const rows = await tx.$queryRawUnsafe<{ id: string; destinationUrl: string; label: string | null }[]>(
    `SELECT a.delivery_id AS id, a.destination_url AS "destinationUrl", a.label
     FROM unnest($2::uuid[], $3::int[]) AS g(id, number) JOIN attempts a ON a.delivery_id = g.id AND a.number = g.number
     WHERE a.tenant_id = $1::uuid AND a.delivery_id BETWEEN $4::uuid AND $5::uuid`,
    tenantId,
    attempted.map(({ id }) => id),
    attempted.map(({ attemptCount }) => attemptCount),
    from,
    to,
  )
  return new Map(rows.map(({ id, destinationUrl, label }) => [id, { destinationUrl, label }]))
}
