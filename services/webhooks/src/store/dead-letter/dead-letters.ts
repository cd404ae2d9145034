import { inIndexOrder } from '@payments/chassis/database/index-order'
import { type Searched, searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import type { DeadLetterGrouping } from '@payments/contracts/services/webhooks/dead-letters'
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Selection, StoredDeadLetter, StoredDeadLetterDetail } from '../../domain/dead-letter/dead-letter.ts'
import type { Tx } from '../database.ts'
import { destinationUrlSql } from '../delivery/delivery-rows.ts'

/** Dead deliveries of one tenant, or of all tenants for operators (`tenantId` null). */

const columns = `d.id, d.tenant_id AS "tenantId", d.business_unit_id AS "businessUnitId", d.subscription_id AS "subscriptionId",
  d.tenant_event_id AS "tenantEventId", d.event_type AS "eventType", ${destinationUrlSql} AS "destinationUrl",
  d.attempt_count AS "attemptCount", d.last_error_kind AS "errorKind", d.last_status_code AS "statusCode",
  d.last_error AS "lastError", d.occurred_at AS "occurredAt", d.dead_at AS "deadAt"`
const withSubscription = 'JOIN subscriptions s ON s.id = d.subscription_id'

/**
 * Newest first; one more than `limit`. The inner query takes dead letters in the order of their index, at most
 * `searchedRowsMax`, and the conditions are checked one by one until the page is full.
 */
export function list(
  tx: Tx,
  tenantId: string | null,
  selection: Selection,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Searched<StoredDeadLetter, string>> {
  const isBefore = before === undefined ? [] : [sql`d.id < ${before}::uuid`]
  const searched = sql`FROM deliveries d WHERE ${all([...deadConditions(tenantId, {}), ...isBefore])} ORDER BY d.id DESC`
  const end = sql`SELECT d.id ${searched} OFFSET ${raw(`${searchedRowsMax - 1}`)} LIMIT 1`
  const { text, values } = sql`
    SELECT ${raw(columns)} FROM (
      SELECT d.* FROM (SELECT * ${searched} LIMIT ${raw(`${searchedRowsMax}`)}) AS d
      WHERE ${all(deadConditions(tenantId, selection))} ORDER BY d.id DESC LIMIT ${limit + 1}::int
    ) AS d ${raw(withSubscription)} ORDER BY d.id DESC`
  return inIndexOrder(tx, async () => {
    const rows = await tx.$queryRawUnsafe<StoredDeadLetter[]>(text, ...values)
    if (rows.length > limit) return { rows, searchedTo: null }
    const [last] = await tx.$queryRawUnsafe<{ id: string }[]>(end.text, ...end.values)
    return { rows, searchedTo: last?.id ?? null }
  })
}

/** Longest dead first, after a position in this order; one more than `limit`. */
export function listOldestDead(
  tx: Tx,
  tenantId: string | null,
  { after, limit }: { after: readonly [deadAt: string, id: string] | undefined; limit: number },
): Promise<StoredDeadLetter[]> {
  const isAfter = after === undefined ? [] : [sql`(d.dead_at, d.id) > (${after[0]}::timestamptz, ${after[1]}::uuid)`]
  const { text, values } = sql`
    SELECT ${raw(columns)} FROM deliveries d ${raw(withSubscription)}
    WHERE ${all([...deadConditions(tenantId, {}), ...isAfter])} ORDER BY d.dead_at, d.id LIMIT ${limit + 1}::int`
  return inIndexOrder(tx, () => tx.$queryRawUnsafe<StoredDeadLetter[]>(text, ...values))
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
  const key = raw(`${keys[by]} COLLATE "C"`)
  const behind =
    after === undefined
      ? empty
      : sql`HAVING (-count(*), ${key}) > (-${after[0]}::bigint, ${after[1]}::text COLLATE "C")`
  const { text, values } = sql`
    SELECT ${key} AS key, count(*)::int AS count, min(d.dead_at) AS "oldestAt", max(d.dead_at) AS "newestAt"
    FROM deliveries d WHERE ${all(deadConditions(tenantId, selection))}
    GROUP BY 1 ${behind} ORDER BY 2 DESC, 1 LIMIT ${limit + 1}::int`
  return tx.$queryRawUnsafe<DeadLetterGroup[]>(text, ...values)
}

export async function countDeadLetters(tx: Tx, tenantId: string | null, selection: Selection): Promise<number> {
  const { text, values } = sql`
    SELECT count(*)::int AS count FROM deliveries d WHERE ${all(deadConditions(tenantId, selection))}`
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(text, ...values)
  return row.count
}

export async function findDeadLetter(
  tx: Tx,
  tenantId: string | null,
  id: string,
): Promise<StoredDeadLetterDetail | undefined> {
  const { text, values } = sql`
    SELECT ${raw(columns)}, d.trace_id AS "traceId", convert_from(d.body, 'UTF8') AS body
    FROM deliveries d ${raw(withSubscription)} WHERE ${all(deadConditions(tenantId, { ids: [id] }))}`
  const [letter] = await tx.$queryRawUnsafe<StoredDeadLetterDetail[]>(text, ...values)
  return letter
}

/** Locks deliveries that were dead at `diedBy`, oldest events first. */
export async function lockDeadLetters(
  tx: Tx,
  tenantId: string | null,
  selection: Selection,
  { diedBy, rowsMax }: { diedBy: Date; rowsMax: number },
): Promise<string[]> {
  const { text, values } = sql`
    SELECT d.id FROM deliveries d WHERE ${all(deadConditions(tenantId, selection, diedBy))}
    ORDER BY d.id LIMIT ${rowsMax}::int FOR UPDATE`
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(text, ...values)
  return rows.map(({ id }) => id)
}

/** When the delivery of any tenant that has been dead longest died. */
export async function oldestDeadAt(tx: Tx): Promise<Date | null> {
  const oldest = await tx.delivery.findFirst({
    where: { status: 'dead' },
    orderBy: { deadAt: 'asc' },
    select: { deadAt: true },
  })
  return oldest?.deadAt ?? null
}

/** The number of dead deliveries of all tenants, at most `countMax`. */
export async function countDeadRows(tx: Tx, countMax: number): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM (SELECT FROM deliveries WHERE status = 'dead' LIMIT $1::int) AS dead`,
    countMax,
  )
  return row.count
}

/** The dead deliveries among `ids`. */
export async function listDeadAmong(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.delivery.findMany({ where: { status: 'dead', id: { in: [...ids] } }, select: { id: true } })
  return rows.map((row) => row.id)
}

export interface DeadRow {
  readonly id: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly eventType: string
}

/** Deliveries of all tenants that have been dead for `graceMs`, by id, after `after`. */
export function listDeadRows(
  tx: Tx,
  { after, graceMs, limit }: { after: string; graceMs: number; limit: number },
): Promise<DeadRow[]> {
  return tx.$queryRawUnsafe<DeadRow[]>(
    `SELECT id, tenant_id AS "tenantId", subscription_id AS "subscriptionId", event_type AS "eventType" FROM deliveries
     WHERE status = 'dead' AND dead_at <= now() - $2::int * interval '1 millisecond' AND id > $1::uuid
     ORDER BY id LIMIT $3::int`,
    after,
    graceMs,
    limit,
  )
}

/** Only the given conditions, so that the planner can select an index. */
function deadConditions(tenantId: string | null, selection: Selection, diedBy?: Date): Sql[] {
  const { ids, businessUnitId, subscriptionId, errorKind, statusCode, eventType, deadAfter, deadBefore } = selection
  const given: [unknown, Sql][] = [
    [tenantId, sql`d.tenant_id = ${tenantId}::uuid`],
    [selection.tenantId, sql`d.tenant_id = ${selection.tenantId}::uuid`],
    [ids, sql`d.id = ANY(${ids}::uuid[])`],
    [businessUnitId, sql`d.business_unit_id = ${businessUnitId}::uuid`],
    [subscriptionId, sql`d.subscription_id = ${subscriptionId}::uuid`],
    [errorKind, sql`d.last_error_kind = ${errorKind}::text`],
    [statusCode, sql`d.last_status_code = ${statusCode}::int`],
    [eventType, sql`d.event_type = ${eventType}::text`],
    [deadAfter, sql`d.dead_at >= ${deadAfter}::timestamptz`],
    [deadBefore, sql`d.dead_at < ${deadBefore}::timestamptz`],
    [diedBy, sql`d.dead_at <= ${diedBy?.toISOString()}::timestamptz`],
  ]
  const conditions = given.filter(([value]) => value !== undefined && value !== null).map(([, condition]) => condition)
  return [sql`d.status = 'dead'`, ...conditions]
}

const all = (conditions: readonly Sql[]) => join(conditions, ' AND ')
