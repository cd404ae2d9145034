import { type Searched, searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import { type DeliveryStatus, deliveryStatuses } from '@payments/contracts/services/webhooks/delivery'
import type { DeliveryFilter, StoredDelivery } from '../domain/delivery.ts'
import type { Tx } from './database.ts'
import { type DeliveryRow, deliveryColumns, withSource, withTargetSql } from './delivery-rows.ts'
import { idsOfInstants } from './events.ts'

/**
 * Lists of deliveries, newest first. Each has an index in its order; reads omit the body. A filter that no index knows
 * is searched among `searchedRowsMax` deliveries, so that no read lasts for seconds: the page may then have fewer rows
 * than its limit, and `searchedTo` says where the next page continues.
 */
type Listed<Position> = Searched<StoredDelivery, Position>

/** By the instant of the event. */
export async function listOfUnit(
  tx: Tx,
  tenantId: string,
  filter: DeliveryFilter,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Listed<string>> {
  const conditions = await conditionsOf(tx, tenantId, filter)
  if (conditions === undefined) return { rows: [], searchedTo: null }
  const { where, bind } = conditions
  if (before !== undefined) where.push(`d.id < ${bind(before)}::uuid`)
  let searchedTo: string | null = null
  if (isSearched({ ...filter, businessUnitId: undefined }) || isInPeriod(filter)) {
    const [last] = await tx.$queryRawUnsafe<{ id: string }[]>(
      `SELECT d.id FROM deliveries d WHERE d.tenant_id = $1::uuid AND d.business_unit_id = $2::uuid
         AND ($3::uuid IS NULL OR d.id < $3::uuid) ORDER BY d.id DESC OFFSET ${searchedRowsMax - 1} LIMIT 1`,
      tenantId,
      filter.businessUnitId,
      before ?? null,
    )
    if (last !== undefined) {
      searchedTo = last.id
      where.push(`d.id >= ${bind(last.id)}::uuid`)
    }
  }
  const rows = await select(tx, tenantId, conditions, { order: 'd.id DESC', limit, statuses: filter.statuses })
  return { rows, searchedTo }
}

type Creation = readonly [createdAt: string, id: string]

/** Those of every unit by their creation, before a position in this order. */
export async function listOfTenant(
  tx: Tx,
  tenantId: string,
  filter: DeliveryFilter,
  { before, limit }: { before: Creation | undefined; limit: number },
): Promise<Listed<Creation>> {
  const conditions = await conditionsOf(tx, tenantId, filter)
  if (conditions === undefined) return { rows: [], searchedTo: null }
  const { where, bind } = conditions
  if (before !== undefined) {
    where.push(`(d.created_at, d.id) < (${bind(before[0])}::timestamptz, ${bind(before[1])}::uuid)`)
  }
  const searchedTo = isSearched(filter) ? await endOfSearch(tx, tenantId, filter, before) : null
  if (searchedTo !== null) {
    where.push(`(d.created_at, d.id) >= (${bind(searchedTo[0])}::timestamptz, ${bind(searchedTo[1])}::uuid)`)
  }
  const order = 'd.created_at DESC, d.id DESC'
  return { rows: await select(tx, tenantId, conditions, { order, limit, statuses: filter.statuses }), searchedTo }
}

/** The last of the `searchedRowsMax` deliveries before a position. Null when there are fewer. */
async function endOfSearch(
  tx: Tx,
  tenantId: string,
  { createdAfter, createdBefore }: DeliveryFilter,
  before: Creation | undefined,
): Promise<Creation | null> {
  const period = await conditionsOf(tx, tenantId, { createdAfter, createdBefore })
  if (period === undefined) return null
  const { where, values, bind } = period
  if (before !== undefined) {
    where.push(`(d.created_at, d.id) < (${bind(before[0])}::timestamptz, ${bind(before[1])}::uuid)`)
  }
  const [last] = await tx.$queryRawUnsafe<{ createdAt: Date; id: string }[]>(
    `SELECT d.created_at AS "createdAt", d.id FROM deliveries d WHERE ${where.join(' AND ')}
     ORDER BY d.created_at DESC, d.id DESC OFFSET ${searchedRowsMax - 1} LIMIT 1`,
    ...values,
  )
  return last === undefined ? null : [last.createdAt.toISOString(), last.id]
}

/** Whether no index has exactly the deliveries of the filter. Those of an event or of a task are few. */
function isSearched(filter: DeliveryFilter): boolean {
  const { tenantEventId, taskId, statuses, statusCode, errorKind, eventType, businessUnitId, subscriptionId } = filter
  if (tenantEventId !== undefined || taskId !== undefined) return false
  const others = [statusCode, errorKind, eventType, businessUnitId, subscriptionId]
  return others.some((one) => one !== undefined) || statuses?.includes('delivered') === true
}

const isInPeriod = ({ createdAfter, createdBefore }: DeliveryFilter) =>
  createdAfter !== undefined || createdBefore !== undefined

/**
 * Each status is a query of its own, since one index scan returns the deliveries of one status in order. The order and
 * the status are literals: the planner proves the conditions of partial indexes by them.
 */
async function select(
  tx: Tx,
  tenantId: string,
  { where, values, bind }: Conditions,
  { order, limit, statuses }: { order: string; limit: number; statuses: readonly DeliveryStatus[] | undefined },
): Promise<StoredDelivery[]> {
  const end = `ORDER BY ${order} LIMIT ${bind(limit + 1)}::int`
  const selectWhere = (all: readonly string[]) => `SELECT d.* FROM deliveries d WHERE ${all.join(' AND ')} ${end}`
  const queries =
    statuses === undefined
      ? [selectWhere(where)]
      : deliveryStatuses.filter((status) => statuses.includes(status)).map((one) => selectWhere([...where, isIn(one)]))
  const union = queries.map((query) => `(${query})`).join(' UNION ALL ')
  const page = `(SELECT * FROM (${union}) AS d ${end}) AS d ${withTargetSql} ORDER BY ${order}`
  const rows = await tx.$queryRawUnsafe<DeliveryRow[]>(`SELECT ${deliveryColumns} FROM ${page}`, ...values)
  return withSource(tx, tenantId, rows)
}

/** Deliveries in progress are few, and in the index of `sweep_at`. */
const isIn = (status: DeliveryStatus) =>
  `d.status = '${status}'${status === 'delivering' ? ' AND d.sweep_at IS NOT NULL' : ''}`

interface Conditions {
  readonly where: string[]
  readonly values: unknown[]
  readonly bind: (value: unknown) => string
}

/** Only the given conditions, so that the planner can select an index. Undefined: no delivery meets them. */
async function conditionsOf(tx: Tx, tenantId: string, filter: DeliveryFilter): Promise<Conditions | undefined> {
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const where = [`d.tenant_id = ${bind(tenantId)}::uuid`]
  const add = (condition: string, value: unknown, type: string) => {
    if (value !== undefined) where.push(`${condition} ${bind(value)}::${type}`)
  }
  if (filter.tenantEventId !== undefined) {
    const ids = await idsOfEvent(tx, tenantId, filter.tenantEventId)
    if (ids === undefined) return undefined
    where.push(`d.id BETWEEN ${bind(ids.from)}::uuid AND ${bind(ids.to)}::uuid`)
  }
  add('d.tenant_event_id =', filter.tenantEventId, 'uuid')
  add('d.business_unit_id =', filter.businessUnitId, 'uuid')
  add('d.subscription_id =', filter.subscriptionId, 'uuid')
  add('d.task_id =', filter.taskId, 'uuid')
  add('d.event_type =', filter.eventType, 'text')
  add('d.last_error_kind =', filter.errorKind, 'text')
  add('d.last_status_code =', filter.statusCode, 'int')
  add('d.created_at >=', filter.createdAfter?.toISOString(), 'timestamptz')
  add('d.created_at <', filter.createdBefore?.toISOString(), 'timestamptz')
  if (filter.statusCode !== undefined && !isSuccess(filter.statusCode)) where.push('d.last_error_kind IS NOT NULL')
  return { where, values, bind }
}

const isSuccess = (statusCode: number) => statusCode >= 200 && statusCode < 300

/** The ids that deliveries of an event can have. Undefined: no such event is stored. */
async function idsOfEvent(tx: Tx, tenantId: string, tenantEventId: string) {
  const events = await tx.event.findMany({ where: { tenantId, tenantEventId }, select: { occurredAt: true } })
  const instants = events.map(({ occurredAt }) => occurredAt.getTime())
  if (instants.length === 0) return undefined
  return idsOfInstants(new Date(Math.min(...instants)), new Date(Math.max(...instants)))
}
