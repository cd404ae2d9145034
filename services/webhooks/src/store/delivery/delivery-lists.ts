import { inIndexOrder } from '@payments/chassis/database/index-order'
import { fewIds } from '@payments/chassis/database/search-ids'
import { type Searched, searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import type { DeliveryStatus } from '@payments/contracts/services/webhooks/delivery'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { DeliveryFilter, StoredDelivery } from '../../domain/delivery/delivery.ts'
import { idsOfInstants } from '../../domain/delivery/delivery-id.ts'
import type { Tx } from '../database.ts'
import { withBounds } from '../id-bounds.ts'
import { type DeliveryRow, deliveryColumns, withSource, withTargetSql } from './delivery-rows.ts'

/**
 * Lists of deliveries, newest first; reads omit the body. Rows are searched in an index that has the order of the list,
 * `searchedRowsMax` at most: a page may then have fewer rows than its limit, and `searchedTo` says where the next page
 * continues.
 */
interface Search {
  /** Conditions of one index: the rows that are searched. */
  readonly index: readonly Sql[]
  /** Conditions of the rows to find. */
  readonly where: readonly Sql[]
}

interface List {
  readonly order: string
  readonly limit: number
}

/** By the instant of the event. */
export async function listOfUnit(
  tx: Tx,
  tenantId: string,
  filter: DeliveryFilter,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Searched<StoredDelivery, string>> {
  const { businessUnitId, subscriptionId, tenantEventId } = filter
  const isBefore = before === undefined ? [] : [sql`d.id < ${before}::uuid`]
  const list = { order: 'd.id DESC', limit }
  const where = [...toConditions(tenantId, filter), ...isBefore]
  if (tenantEventId !== undefined) {
    return { rows: await listOfEvent(tx, tenantId, tenantEventId, where, list), searchedTo: null }
  }
  const few = await idsOfFew(tx, tenantId, filter)
  if (few !== null)
    return { rows: await select(tx, tenantId, [{ index: matchIds(few), where }], list), searchedTo: null }
  const narrowest = subscriptionId === undefined ? { businessUnitId } : { subscriptionId }
  const index = [...toConditions(tenantId, narrowest), ...isBefore]
  return inIndexOrder(tx, async () => {
    const rows = await select(tx, tenantId, [{ index, where }], list)
    if (rows.length > limit) return { rows, searchedTo: null }
    const [last] = await findLastSearched(tx, tenantId, index, list)
    return { rows, searchedTo: last?.id ?? null }
  })
}

type Creation = readonly [createdAt: string, id: string]

/** Those of every unit by their creation, before a position in this order. */
export async function listOfTenant(
  tx: Tx,
  tenantId: string,
  filter: DeliveryFilter,
  { before, limit }: { before: Creation | undefined; limit: number },
): Promise<Searched<StoredDelivery, Creation>> {
  const { tenantEventId } = filter
  const isBefore =
    before === undefined ? [] : [sql`(d.created_at, d.id) < (${before[0]}::timestamptz, ${before[1]}::uuid)`]
  const list = { order: 'd.created_at DESC, d.id DESC', limit }
  const where = toConditions(tenantId, filter)
  if (tenantEventId !== undefined) {
    const rows = await listOfEvent(tx, tenantId, tenantEventId, [...where, ...isBefore], list)
    return { rows, searchedTo: null }
  }
  const indexes = chooseIndexes(tenantId, filter).map((index) => [...index, ...isBefore])
  return inIndexOrder(tx, async () => {
    const lasts: Searchable[] = []
    for (const index of indexes) lasts.push(...(await findLastSearched(tx, tenantId, index, list)))
    const [last] = lasts.sort(byCreation)
    const searchedTo: Creation | null = last === undefined ? null : [last.createdAt.toISOString(), last.id]
    const isSearched =
      searchedTo === null ? [] : [sql`(d.created_at, d.id) >= (${searchedTo[0]}::timestamptz, ${searchedTo[1]}::uuid)`]
    const searches = indexes.map((index) => ({ index: [...index, ...isSearched], where }))
    return { rows: await select(tx, tenantId, searches, list), searchedTo }
  })
}

/** Newest first. */
const byCreation = (a: Searchable, b: Searchable) =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)

type Searchable = Pick<StoredDelivery, 'id' | 'createdAt'>

/** The last of the `searchedRowsMax` deliveries of an index. None when there are fewer. */
function findLastSearched(tx: Tx, tenantId: string, index: readonly Sql[], { order }: List): Promise<Searchable[]> {
  const { text, values } = sql`SELECT d.created_at AS "createdAt", d.id FROM deliveries d
    WHERE d.tenant_id = ${tenantId}::uuid AND ${all(index)} ORDER BY ${raw(order)} OFFSET ${raw(`${searchedRowsMax - 1}`)} LIMIT 1`
  return tx.$queryRawUnsafe<Searchable[]>(text, ...values)
}

/**
 * The inner query takes the rows of an index in its order, and the conditions are checked one by one until the page is
 * full.
 */
async function select(
  tx: Tx,
  tenantId: string,
  searches: readonly Search[],
  { order, limit }: List,
): Promise<StoredDelivery[]> {
  const inOrder = sql`ORDER BY ${raw(order)}`
  const page = sql`${inOrder} LIMIT ${limit + 1}::int`
  const queries = searches.map(
    ({ index, where }) => sql`(
      SELECT d.* FROM (
        SELECT * FROM deliveries d WHERE d.tenant_id = ${tenantId}::uuid AND ${all(index)}
        ${inOrder} LIMIT ${raw(`${searchedRowsMax}`)}
      ) AS d WHERE ${all(where)} ${page})`,
  )
  const { text, values } = sql`SELECT ${raw(deliveryColumns)}
    FROM (SELECT * FROM (${join(queries, ' UNION ALL ')}) AS d ${page}) AS d ${raw(withTargetSql)} ${inOrder}`
  return withSource(tx, tenantId, await tx.$queryRawUnsafe<DeliveryRow[]>(text, ...values))
}

const all = (conditions: readonly Sql[]) => join([sql`true`, ...conditions], ' AND ')

/** The statuses of the partial indexes of a tenant. */
const indexedStatuses: readonly (readonly DeliveryStatus[])[] = [
  ['pending', 'retrying'],
  ['held'],
  ['dead', 'discarded'],
]

/** Literals: the planner proves the conditions of the partial indexes by them. */
const hasStatus = (statuses: readonly DeliveryStatus[]) =>
  raw(`d.status IN (${statuses.map((status) => `'${status}'`).join(', ')})`)

/** The conditions of each index by creation that has some deliveries of the filter, and together all of them. */
function chooseIndexes(tenantId: string, filter: DeliveryFilter): (readonly Sql[])[] {
  const { createdAfter, createdBefore, taskId, errorKind, statusCode, statuses } = filter
  const period = { createdAfter, createdBefore }
  if (taskId !== undefined) return [toConditions(tenantId, { ...period, taskId })]
  if (errorKind !== undefined) return [toConditions(tenantId, { ...period, errorKind })]
  if (isFailure(statusCode)) return [toConditions(tenantId, { ...period, statusCode })]
  const ofPeriod = toConditions(tenantId, period)
  const isIndexed = (status: DeliveryStatus) => indexedStatuses.some((some) => some.includes(status))
  if (statuses === undefined || !statuses.every(isIndexed)) return [ofPeriod]
  const indexes = indexedStatuses.filter((some) => some.some((status) => statuses.includes(status)))
  return indexes.map((some) => [...ofPeriod, hasStatus(some)])
}

/**
 * The ids of the deliveries of an index that is by creation, where they are few. Null: many, or no index has a
 * condition of the filter.
 */
async function idsOfFew(tx: Tx, tenantId: string, filter: DeliveryFilter): Promise<string[] | null> {
  const { taskId, errorKind, statusCode, statuses = [] } = filter
  const isSelective = statuses.length > 0 || taskId !== undefined || errorKind !== undefined || isFailure(statusCode)
  if (!isSelective) return null
  const queries = chooseIndexes(tenantId, filter).map(
    (index) => sql`(SELECT d.id FROM deliveries d WHERE ${all(index)} ORDER BY d.created_at)`,
  )
  return fewIds(tx, join(queries, ' UNION ALL '))
}

function matchIds(ids: readonly string[]): Sql[] {
  const [sorted, min, max] = withBounds(ids)
  return [sql`d.id = ANY(${sorted}::uuid[])`, sql`d.id BETWEEN ${min}::uuid AND ${max}::uuid`]
}

/** Those of an event are few. */
async function listOfEvent(
  tx: Tx,
  tenantId: string,
  tenantEventId: string,
  where: readonly Sql[],
  list: List,
): Promise<StoredDelivery[]> {
  const events = await tx.event.findMany({ where: { tenantId, tenantEventId }, select: { occurredAt: true } })
  const instants = events.map(({ occurredAt }) => occurredAt.getTime())
  if (instants.length === 0) return []
  const { from, to } = idsOfInstants(new Date(Math.min(...instants)), new Date(Math.max(...instants)))
  const index = [...toConditions(tenantId, { tenantEventId }), sql`d.id BETWEEN ${from}::uuid AND ${to}::uuid`]
  return select(tx, tenantId, [{ index, where }], list)
}

/** Only the given conditions, so that the planner can select an index. */
function toConditions(tenantId: string, filter: DeliveryFilter): Sql[] {
  const { tenantEventId, businessUnitId, subscriptionId, taskId, eventType, errorKind, statusCode, statuses } = filter
  const { createdAfter, createdBefore } = filter
  const given: [unknown, Sql][] = [
    [tenantEventId, sql`d.tenant_event_id = ${tenantEventId}::uuid`],
    [businessUnitId, sql`d.business_unit_id = ${businessUnitId}::uuid`],
    [subscriptionId, sql`d.subscription_id = ${subscriptionId}::uuid`],
    [taskId, sql`d.task_id = ${taskId}::uuid`],
    [eventType, sql`d.event_type = ${eventType}::text`],
    [errorKind, sql`d.last_error_kind = ${errorKind}::text`],
    [statusCode, sql`d.last_status_code = ${statusCode}::int`],
    [createdAfter, sql`d.created_at >= ${createdAfter?.toISOString()}::timestamptz`],
    [createdBefore, sql`d.created_at < ${createdBefore?.toISOString()}::timestamptz`],
    [statuses, hasStatus(statuses ?? [])],
  ]
  if (isFailure(statusCode)) given.push([statusCode, sql`d.last_error_kind IS NOT NULL`])
  const conditions = given.filter(([value]) => value !== undefined).map(([, condition]) => condition)
  return [sql`d.tenant_id = ${tenantId}::uuid`, ...conditions]
}

const isFailure = (statusCode: number | undefined) =>
  statusCode !== undefined && (statusCode < 200 || statusCode >= 300)
