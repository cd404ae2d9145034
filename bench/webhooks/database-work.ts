/** The work of the database for the dispatcher, from its own metrics and the statistics of PostgreSQL. */
import { withClient } from '@payments/devkit/servers/databases'
import { cpuTimes, spentMs } from '../measure/cpu-time.ts'

/** Sums since the start of the processes. */
export interface DatabaseWork {
  readonly roundTrips: number
  /** Rows inserted and updated. */
  readonly rowVersions: number
  /** Bytes of the write-ahead log, of all databases of the server. */
  readonly logBytes: number
  /** By session of the database. */
  readonly cpuMs: ReadonlyMap<number, number>
}

export interface WorkCounts {
  readonly roundTrips: number
  readonly rowVersions: number
  readonly logBytes: number
  readonly cpuMicroseconds: number
}

/** `metricsUrl`: of the dispatcher. `ownerUrl`: of its database. */
export async function readDatabaseWork(metricsUrl: string, ownerUrl: string): Promise<DatabaseWork> {
  const text = await (await fetch(metricsUrl)).text()
  const { rows } = await withClient(ownerUrl, (client) =>
    client.query<{ versions: number; bytes: number; pids: number[] }>(
      `SELECT (tup_inserted + tup_updated)::float8 AS versions, (pg_current_wal_lsn() - '0/0')::float8 AS bytes,
         ARRAY(SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()) AS pids
       FROM pg_stat_database WHERE datname = current_database()`,
    ),
  )
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL has no statistics of the database')
  const roundTrips = Number(/^database_round_trips_total(?:\{.*\})? (\S+)$/m.exec(text)?.[1])
  return { roundTrips, rowVersions: row.versions, logBytes: row.bytes, cpuMs: cpuTimes(row.pids) }
}

/** The work between two readings, for each of `count` things. */
export function toWorkCounts(before: DatabaseWork, after: DatabaseWork, count: number): WorkCounts {
  return {
    roundTrips: (after.roundTrips - before.roundTrips) / count,
    rowVersions: (after.rowVersions - before.rowVersions) / count,
    logBytes: (after.logBytes - before.logBytes) / count,
    cpuMicroseconds: (spentMs(before.cpuMs, after.cpuMs) * 1_000) / count,
  }
}
