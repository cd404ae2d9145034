import { unitsMax } from '@payments/contracts/endpoints/hourly-counts'
import { listIntervals, type Month, type Period } from '@payments/contracts/grammar/period'
import type { Log } from '../observability/log.ts'
import { tryLockForTransaction } from './advisory-lock.ts'
import type { SqlTx, Transactions } from './transaction.ts'

/**
 * **What it does.** Counts the rows of a table by hour of their creation, business unit and status, in the tables
 * `hourly_counts` and `counted_hours` of the service.
 *
 * **Participants.** A job calls `countHours`, which takes tenants in turns. Verbs read the counts.
 *
 * **Guarantees.** A count is absolute, so a repeated run changes nothing. An hour with rows is counted every
 * `recountMs` until its end; then again each time its age has doubled, until all its rows are final or it is
 * `closedAfterMs` old. So a row is read some twenty times, however often the job runs. Counts of rows that were purged
 * meanwhile stay.
 *
 * **Not guaranteed.** The statuses between two counts, and changes after the last one.
 */
export interface CountedTable {
  /** Has an index of `tenant_id` and `created_at`. */
  readonly table: string
  /** An hour whose rows all have one is not counted again: later changes, such as a resend, are not in its counts. */
  readonly finalStatuses: readonly string[]
}

const hourMs = 3_600_000
/** After the end of an hour, no transaction that began within it is open any more. */
const settledMs = 120_000
const recountMs = 300_000
const closedAfterMs = 7 * 24 * hourMs
const retentionMs = 761 * 24 * hourMs
/** Hours of one tenant in one run. */
const hoursMax = 12
const tenantsPerPage = 100
const pagesMax = 10
/** Rows of each table in one run. */
const purgedMax = 50_000

/**
 * Counts due hours of at most a thousand tenants after `after`, each hour in its own transaction. Returns where
 * the next run continues. A tenant that fails is reported, and delays no other.
 */
export async function countHours<Tx extends SqlTx>(
  { db, log }: { readonly db: Transactions<Tx>; readonly log: Pick<Log, 'error'> },
  counted: CountedTable,
  now: Date,
  after: string | null,
): Promise<string | null> {
  let position = after
  for (let page = 0; page < pagesMax; page += 1) {
    const tenants = await db.acrossTenants((tx) => findTenants(tx, position))
    for (const tenantId of tenants) {
      try {
        await countTenant(db, tenantId, counted, now)
      } catch (err) {
        log.error({ err, tenant_id: tenantId, table: counted.table }, 'could not count the hours of a tenant')
      }
    }
    position = tenants.length < tenantsPerPage ? null : (tenants.at(-1) ?? null)
    if (position === null) return null
  }
  return position
}

async function countTenant<Tx extends SqlTx>(db: Transactions<Tx>, tenantId: string, counted: CountedTable, now: Date) {
  for (let hours = 0; hours < hoursMax; hours += 1) {
    if (!(await db.inTenant(tenantId, (tx) => countNext(tx, tenantId, counted, now)))) return
  }
}

async function findTenants(tx: SqlTx, after: string | null): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT DISTINCT tenant_id::text AS id FROM business_unit_copies
     WHERE $1::uuid IS NULL OR tenant_id > $1::uuid ORDER BY 1 LIMIT $2::int`,
    after,
    tenantsPerPage,
  )
  return rows.map(({ id }) => id)
}

/** Returns false when no hour is due, and while another process counts. */
async function countNext(tx: SqlTx, tenantId: string, counted: CountedTable, now: Date): Promise<boolean> {
  if (!(await tryLockForTransaction(tx, `hourly-counts ${tenantId}`))) return false
  const hour = (await findDue(tx, tenantId, now)) ?? (await findNew(tx, tenantId, counted, now))
  if (hour === undefined) return false
  await countHour(tx, tenantId, counted, { hour, now })
  return true
}

async function findDue(tx: SqlTx, tenantId: string, now: Date): Promise<Date | undefined> {
  const [row] = await tx.$queryRawUnsafe<{ hour: Date }[]>(
    'SELECT hour FROM counted_hours WHERE tenant_id = $1::uuid AND due_at <= $2 ORDER BY due_at LIMIT 1',
    tenantId,
    now,
  )
  return row?.hour
}

/** The first hour with rows after the newest one that was counted. */
async function findNew(tx: SqlTx, tenantId: string, counted: CountedTable, now: Date): Promise<Date | undefined> {
  const [newest] = await tx.$queryRawUnsafe<{ hour: Date | null }[]>(
    'SELECT max(hour) AS hour FROM counted_hours WHERE tenant_id = $1::uuid',
    tenantId,
  )
  const from = newest?.hour == null ? new Date(0) : new Date(newest.hour.getTime() + hourMs)
  const hour = await findHour(tx, tenantId, counted.table, from)
  // A row of the hour before may still be uncommitted.
  return hour === undefined || now.getTime() < hour.getTime() + settledMs ? undefined : hour
}

/** The first hour with a row at `from` or later. */
async function findHour(tx: SqlTx, tenantId: string, table: string, from: Date): Promise<Date | undefined> {
  const [row] = await tx.$queryRawUnsafe<{ at: Date }[]>(
    `SELECT created_at AS at FROM ${table} WHERE tenant_id = $1::uuid AND created_at >= $2
     ORDER BY created_at LIMIT 1`,
    tenantId,
    from,
  )
  return row === undefined ? undefined : new Date(Math.floor(row.at.getTime() / hourMs) * hourMs)
}

interface Count {
  readonly unit: string
  readonly status: string
  readonly count: number
}

async function countHour(
  tx: SqlTx,
  tenantId: string,
  { table, finalStatuses }: CountedTable,
  { hour, now }: { hour: Date; now: Date },
): Promise<void> {
  const end = new Date(hour.getTime() + hourMs)
  const counts = await tx.$queryRawUnsafe<Count[]>(
    `SELECT business_unit_id::text AS unit, status::text AS status, count(*)::int AS count FROM ${table}
     WHERE tenant_id = $1::uuid AND created_at >= $2 AND created_at < $3 GROUP BY 1, 2`,
    tenantId,
    hour,
    end,
  )
  const [stored] = await tx.$queryRawUnsafe<{ count: number }[]>(
    'SELECT coalesce(sum(count), 0)::int AS count FROM hourly_counts WHERE tenant_id = $1::uuid AND hour = $2',
    tenantId,
    hour,
  )
  const isPurged = counts.reduce((sum, { count }) => sum + count, 0) < (stored?.count ?? 0)
  if (!isPurged) await store(tx, tenantId, hour, counts)
  const isFinal = isPurged || counts.every(({ status }) => finalStatuses.includes(status))
  await tx.$executeRawUnsafe(
    `INSERT INTO counted_hours (tenant_id, hour, due_at) VALUES ($1::uuid, $2, $3)
     ON CONFLICT (tenant_id, hour) DO UPDATE SET due_at = excluded.due_at`,
    tenantId,
    hour,
    nextCountAt(end, now, isFinal),
  )
}

/** Null: never. */
function nextCountAt(end: Date, now: Date, isFinal: boolean): Date | null {
  const ageMs = now.getTime() - end.getTime()
  if (ageMs < settledMs) return new Date(Math.min(now.getTime() + recountMs, end.getTime() + settledMs))
  return isFinal || ageMs >= closedAfterMs ? null : new Date(now.getTime() + Math.max(recountMs, ageMs))
}

async function store(tx: SqlTx, tenantId: string, hour: Date, counts: readonly Count[]): Promise<void> {
  await tx.$executeRawUnsafe('DELETE FROM hourly_counts WHERE tenant_id = $1::uuid AND hour = $2', tenantId, hour)
  await tx.$executeRawUnsafe(
    `INSERT INTO hourly_counts (tenant_id, hour, business_unit_id, status, count)
     SELECT $1::uuid, $2, c.unit, c.status, c.count
     FROM jsonb_to_recordset($3::jsonb) AS c (unit uuid, status text, count int)`,
    tenantId,
    hour,
    JSON.stringify(counts),
  )
}

/** The numbers of a period by interval and status. Every status is in each interval. */
export async function readStatistics<S extends string>(
  tx: SqlTx,
  tenantId: string,
  period: Period,
  { statuses, unitId }: { readonly statuses: readonly S[]; readonly unitId: string | undefined },
) {
  const rows = await tx.$queryRawUnsafe<{ at: Date; status: string; count: bigint }[]>(
    `SELECT date_bin($5::interval, hour, '2000-01-01T00:00:00Z') AS at, status, sum(count)::bigint AS count
     FROM hourly_counts WHERE tenant_id = $1::uuid AND hour >= $2 AND hour < $3
       AND ($4::uuid IS NULL OR business_unit_id = $4::uuid)
     GROUP BY 1, 2`,
    tenantId,
    period.from,
    period.to,
    unitId ?? null,
    `1 ${period.interval}`,
  )
  const counted = new Map(rows.map(({ at, status, count }) => [`${at.getTime()} ${status}`, Number(count)]))
  const countAt = (instant: Date, status: string) => counted.get(`${instant.getTime()} ${status}`) ?? 0
  return {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    interval: period.interval,
    intervals: listIntervals(period).map((instant) => {
      const counts = statuses.map((status) => [status, countAt(instant, status)] as const)
      const total = counts.reduce((sum, [, count]) => sum + count, 0)
      return { starts_at: instant.toISOString(), total, by_status: Object.fromEntries(counts) as Record<S, number> }
    }),
  }
}

/** The numbers of a month, of the business units with the largest ones. */
export async function readUsage(tx: SqlTx, tenantId: string, month: Month) {
  const rows = await tx.$queryRawUnsafe<{ unit: string; count: bigint; total: bigint }[]>(
    `SELECT business_unit_id::text AS unit, sum(count)::bigint AS count, (sum(sum(count)) OVER ())::bigint AS total
     FROM hourly_counts WHERE tenant_id = $1::uuid AND hour >= $2 AND hour < $3
     GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT $4::int`,
    tenantId,
    month.from,
    month.to,
    unitsMax,
  )
  return {
    month: month.name,
    total: Number(rows[0]?.total ?? 0),
    units: rows.map(({ unit, count }) => ({ business_unit_id: unit, count: Number(count) })),
  }
}

/** Deletes counts after 25 months, at most `purgedMax` rows of each table. */
export async function purgeHourlyCounts(tx: SqlTx, now: Date): Promise<void> {
  const before = new Date(now.getTime() - retentionMs)
  for (const table of ['hourly_counts', 'counted_hours']) {
    await tx.$executeRawUnsafe(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table} WHERE hour < $1 LIMIT $2::int FOR UPDATE SKIP LOCKED))`,
      before,
      purgedMax,
    )
  }
}
