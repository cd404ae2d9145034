/**
 * The work of the databases by service: statements by `pg_stat_statements`, transactions by `pg_stat_database`, and
 * round trips by the counter of each process.
 */
import { type Service, services } from '@payments/devkit/servers/databases'
import type { TestStack } from '@payments/testing/platform/local-stack'
import { databaseName } from './platform-cpu.ts'
import type { Administrator } from './postgres-cpu.ts'

export interface DatabaseWork {
  /** Utility statements included. Undefined when the server does not count statements. */
  readonly statements?: StatementCounts | undefined
  /** Sessions report theirs up to a second late, idle sessions up to ten. */
  readonly transactions: number
  /** Undefined when no process of the service counts them. */
  readonly roundTrips?: number | undefined
}

interface StatementCounts {
  readonly all: number
  readonly begin: number
  readonly commit: number
  readonly setConfig: number
}

/** Runs `work` and returns its result with the work of the databases meanwhile. */
export async function withDatabaseWork<T>(
  stack: TestStack,
  administrator: Administrator,
  work: () => Promise<T>,
): Promise<{ result: T; databases: ReadonlyMap<Service, DatabaseWork> }> {
  const isCounting = await countsStatements(administrator)
  // A read of the metrics may itself query a database, so the counts of PostgreSQL begin later and end earlier.
  const trips = await roundTrips(stack)
  const transactions = await readTransactions(administrator)
  if (isCounting) await administrator.query('SELECT pg_stat_statements_reset()')
  const result = await work()
  const statements = isCounting ? await readStatements(administrator) : undefined
  const transactionsAfter = await readTransactions(administrator)
  const tripsAfter = await roundTrips(stack)
  const none = { all: 0, begin: 0, commit: 0, setConfig: 0 }
  const databases = services.map((service) => {
    const name = databaseName(stack, service)
    const [from, to] = [trips.get(service), tripsAfter.get(service)]
    const work = {
      statements: statements === undefined ? undefined : (statements.get(name) ?? none),
      transactions: (transactionsAfter.get(name) ?? 0) - (transactions.get(name) ?? 0),
      roundTrips: to === undefined ? undefined : to - (from ?? 0),
    }
    return [service, work] as const
  })
  return { result, databases: new Map(databases) }
}

async function countsStatements(administrator: Administrator): Promise<boolean> {
  const { rows } = await administrator.query<{ preloaded: string }>(
    `SELECT current_setting('shared_preload_libraries') AS preloaded`,
  )
  if (!rows[0]?.preloaded.includes('pg_stat_statements')) return false
  await administrator.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
  return true
}

const statementsSql = `
  SELECT datname AS database, sum(calls)::int AS all,
    coalesce(sum(calls) FILTER (WHERE query ~* '^(BEGIN|START TRANSACTION)'), 0)::int AS begin,
    coalesce(sum(calls) FILTER (WHERE query ~* '^COMMIT'), 0)::int AS commit,
    coalesce(sum(calls) FILTER (WHERE query ~* 'set_config\\('), 0)::int AS "setConfig"
  FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid GROUP BY datname`

async function readStatements(administrator: Administrator): Promise<Map<string, StatementCounts>> {
  const { rows } = await administrator.query<StatementCounts & { database: string }>(statementsSql)
  return new Map(rows.map((row) => [row.database, row]))
}

async function readTransactions(administrator: Administrator): Promise<Map<string, number>> {
  const { rows } = await administrator.query<{ datname: string; committed: number }>(
    'SELECT datname, xact_commit::int AS committed FROM pg_stat_database WHERE datname IS NOT NULL',
  )
  return new Map(rows.map(({ datname, committed }) => [datname, committed]))
}

/** The dispatcher of webhooks uses the database of webhooks. */
async function roundTrips({ ports }: TestStack): Promise<Map<Service, number | undefined>> {
  const counts = services.map(async (service) => {
    const own = service === 'webhooks' ? [ports.webhooks, ports.dispatcherInternal] : [ports[service]]
    const found = (await Promise.all(own.map(readRoundTrips))).filter((count) => count !== undefined)
    return [service, found.length === 0 ? undefined : found.reduce((sum, count) => sum + count, 0)] as const
  })
  return new Map(await Promise.all(counts))
}

const metricsTimeoutMs = 30_000

async function readRoundTrips(port: number): Promise<number | undefined> {
  const url = `http://127.0.0.1:${port}/metrics`
  const response = await fetch(url, { signal: AbortSignal.timeout(metricsTimeoutMs) })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  const samples = [...(await response.text()).matchAll(/^database_round_trips_total(?:\{.*\})? (\S+)$/gm)]
  return samples.length === 0 ? undefined : samples.reduce((sum, [, count]) => sum + Number(count), 0)
}
