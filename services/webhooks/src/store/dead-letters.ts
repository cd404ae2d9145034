import type { DeadLetterGrouping } from '@payments/contracts/services/webhooks/dead-letters'
import type { Selection, StoredDeadLetter, StoredDeadLetterDetail } from '../domain/dead-letter.ts'
import type { Tx } from './database.ts'
import { destinationUrlSql } from './delivery-rows.ts'

/** Dead deliveries of one tenant, or of all tenants for operators (`tenantId` null). */

const columns = `d.id, d.tenant_id AS "tenantId", d.business_unit_id AS "businessUnitId", d.subscription_id AS "subscriptionId",
  d.tenant_event_id AS "tenantEventId", d.event_type AS "eventType", ${destinationUrlSql} AS "destinationUrl",
  d.attempt_count AS "attemptCount", d.last_error_kind AS "errorKind", d.last_status_code AS "statusCode",
  d.last_error AS "lastError", d.occurred_at AS "occurredAt", d.dead_at AS "deadAt"`
const withDestination = 'deliveries d JOIN subscriptions s ON s.id = d.subscription_id'

/** Newest first; one more than `limit`. */
export function list(
  tx: Tx,
  tenantId: string | null,
  selection: Selection,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<StoredDeadLetter[]> {
  const { where, values, bind } = deadWhere(tenantId, selection)
  if (before !== undefined) where.push(`d.id < ${bind(before)}::uuid`)
  const sql = `SELECT ${columns} FROM ${withDestination} WHERE ${where.join(' AND ')} ORDER BY d.id DESC LIMIT ${bind(limit + 1)}::int`
  return tx.$queryRawUnsafe<StoredDeadLetter[]>(sql, ...values)
}

/** Longest dead first, after a position in this order; one more than `limit`. */
export function listOldestDead(
  tx: Tx,
  tenantId: string | null,
  { after, limit }: { after: readonly [deadAt: string, id: string] | undefined; limit: number },
): Promise<StoredDeadLetter[]> {
  const { where, values, bind } = deadWhere(tenantId, {})
  if (after !== undefined) where.push(`(d.dead_at, d.id) > (${bind(after[0])}::timestamptz, ${bind(after[1])}::uuid)`)
  const sql = `SELECT ${columns} FROM ${withDestination} WHERE ${where.join(' AND ')} ORDER BY d.dead_at, d.id LIMIT ${bind(limit + 1)}::int`
  return tx.$queryRawUnsafe<StoredDeadLetter[]>(sql, ...values)
}

export interface DeadLetterGroup {
  readonly key: string
  readonly count: number
  readonly oldestAt: Date
  readonly newestAt: Date
}

const keys: Readonly<Record<DeadLetterGrouping, string>> = {
  cause: `CASE WHEN d.last_error_kind IN ('status', 'redirect') THEN d.last_error_kind || ':' || d.last_status_code
    ELSE coalesce(d.last_error_kind, 'unknown') END`,
  subscription: 'd.subscription_id::text',
  event_type: 'd.event_type',
}

/** Largest first, after a position in this order; one more than `limit`. */
export function group(
  tx: Tx,
  tenantId: string | null,
  selection: Selection,
  { by, limit, after }: { by: DeadLetterGrouping; limit: number; after: readonly [number, string] | undefined },
): Promise<DeadLetterGroup[]> {
  const { where, values, bind } = deadWhere(tenantId, selection)
  const behind =
    after === undefined
      ? ''
      : `HAVING (-count(*), ${keys[by]} COLLATE "C") > (-${bind(after[0])}::bigint, ${bind(after[1])}::text COLLATE "C")`
  const sql = `SELECT ${keys[by]} COLLATE "C" AS key, count(*)::int AS count, min(d.dead_at) AS "oldestAt", max(d.dead_at) AS "newestAt"
    FROM deliveries d WHERE ${where.join(' AND ')} GROUP BY 1 ${behind} ORDER BY 2 DESC, 1 LIMIT ${bind(limit + 1)}::int`
  return tx.$queryRawUnsafe<DeadLetterGroup[]>(sql, ...values)
}

export async function countDeadLetters(tx: Tx, tenantId: string | null, selection: Selection): Promise<number> {
  const { where, values } = deadWhere(tenantId, selection)
  const sql = `SELECT count(*)::int AS count FROM deliveries d WHERE ${where.join(' AND ')}`
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(sql, ...values)
  return row.count
}

export async function findDeadLetter(
  tx: Tx,
  tenantId: string | null,
  id: string,
): Promise<StoredDeadLetterDetail | undefined> {
  const { where, values } = deadWhere(tenantId, { ids: [id] })
  const sql = `SELECT ${columns}, d.trace_id AS "traceId", convert_from(d.body, 'UTF8') AS body
    FROM ${withDestination} WHERE ${where.join(' AND ')}`
  const [letter] = await tx.$queryRawUnsafe<StoredDeadLetterDetail[]>(sql, ...values)
  return letter
}

/** Locks deliveries that were dead at `diedBy`, oldest events first. */
export async function lockDeadLetters(
  tx: Tx,
  tenantId: string | null,
  selection: Selection,
  { diedBy, rowsMax }: { diedBy: Date; rowsMax: number },
): Promise<string[]> {
  const { where, values, bind } = deadWhere(tenantId, selection, diedBy)
  const sql = `SELECT d.id FROM deliveries d WHERE ${where.join(' AND ')} ORDER BY d.id LIMIT ${bind(rowsMax)}::int FOR UPDATE`
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(sql, ...values)
  return rows.map(({ id }) => id)
}

/** Only the given conditions, so that the planner can select an index. */
function deadWhere(tenantId: string | null, selection: Selection, diedBy?: Date) {
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const where = [`d.status = 'dead'`]
  const add = (condition: string, value: unknown, type: string) => {
    if (value !== undefined && value !== null) where.push(`${condition} ${bind(value)}::${type}`)
  }
  add('d.tenant_id =', tenantId, 'uuid')
  add('d.tenant_id =', selection.tenantId, 'uuid')
  if (selection.ids !== undefined) where.push(`d.id = ANY(${bind(selection.ids)}::uuid[])`)
  add('d.business_unit_id =', selection.businessUnitId, 'uuid')
  add('d.subscription_id =', selection.subscriptionId, 'uuid')
  add('d.last_error_kind =', selection.errorKind, 'text')
  add('d.last_status_code =', selection.statusCode, 'int')
  add('d.event_type =', selection.eventType, 'text')
  add('d.dead_at >=', selection.deadAfter, 'timestamptz')
  add('d.dead_at <', selection.deadBefore, 'timestamptz')
  add('d.dead_at <=', diedBy?.toISOString(), 'timestamptz')
  return { where, values, bind }
}
