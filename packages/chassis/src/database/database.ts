import { readdirSync } from 'node:fs'
import type { VersionSessions } from './authorization-version.ts'
import { openVersionSessions } from './authorization-version-sessions.ts'
import { createConnectionPermits } from './connection-permits.ts'
import { openCrossTenantStatements } from './cross-tenant-statements.ts'
import { connectionWaitMsMax, poolSettings } from './pool.ts'
import { type SqlTx, type TransactionClient, type Transactions, transactions } from './transaction.ts'

/** The database of one process of a service. `Tx` is the transaction client that the service's Prisma generates. */
export interface Database<Tx extends SqlTx> extends Transactions<Tx> {
  /** Statements outside of a tenant's transaction, for tables without row-level security, such as operator calls. */
  readonly sql: SqlTx
  /** Statements over all tenants, for the relay of the outbox. */
  readonly crossTenant: SqlTx
  /** Sets the listener that is called after each commit, to wake the relay. The listener must not throw. */
  afterCommit(listener: () => void): void
  /**
   * Resolves with null when every migration of this version is applied, else with the reason. Rejects without a
   * database.
   */
  check(): Promise<string | null>
  close(): Promise<void>
}

/** The database of an authorization source. */
export interface AuthorizationSourceDatabase<Tx extends SqlTx> extends Database<Tx> {
  /** For reads of the authorization version, which wait for no transaction. */
  readonly versionSessions: VersionSessions
}

/** The pool of a client: the options of `pg.Pool` that services set. */
export interface ClientPool {
  readonly connectionString: string
  readonly max: number
  /** Settings of each session: `-c app.tenant_id=*`. */
  readonly options?: string
}

export interface PrismaLike<Tx> extends SqlTx, TransactionClient<Tx> {
  $disconnect(): Promise<void>
}

export interface PoolOptions {
  readonly connectionsMax?: number
  readonly waitMsMax?: number
}

export interface DatabaseOptions extends PoolOptions {
  /** The folder of the migrations of the service. */
  readonly migrations: URL
  readonly sessionOptions?: string
}

const connectionsMaxDefault = 20

/** Opens the database at `url` with the client of a service. Connects at the first statement. */
export function openPrismaDatabase<Tx extends SqlTx>(
  createClient: (pool: ClientPool) => PrismaLike<Tx>,
  url: string,
  options: DatabaseOptions,
): Database<Tx> {
  const {
    migrations,
    connectionsMax = connectionsMaxDefault,
    waitMsMax = connectionWaitMsMax,
    sessionOptions,
  } = options
  const limits = { max: connectionsMax, connectionTimeoutMillis: waitMsMax }
  const pool = { connectionString: url, ...poolSettings, ...limits }
  const prisma = createClient(sessionOptions === undefined ? pool : { ...pool, options: sessionOptions })
  const crossTenant = openCrossTenantStatements(url)
  let committed = () => {}
  return {
    ...transactions<Tx>(prisma, {
      afterCommit: () => committed(),
      permits: createConnectionPermits(connectionsMax, waitMsMax),
      waitMsMax,
    }),
    sql: prisma,
    crossTenant,
    afterCommit: (listener) => {
      committed = listener
    },
    check: schemaCheck(prisma, migrations),
    close: async () => {
      await Promise.all([prisma.$disconnect(), crossTenant.close()])
    },
  }
}

/** As `openPrismaDatabase`, with sessions for reads of the authorization version. */
export function openAuthorizationSourceDatabase<Tx extends SqlTx>(
  createClient: (pool: ClientPool) => PrismaLike<Tx>,
  url: string,
  options: DatabaseOptions,
): AuthorizationSourceDatabase<Tx> {
  const db = openPrismaDatabase(createClient, url, options)
  const versionSessions = openVersionSessions(url)
  return {
    ...db,
    versionSessions,
    close: async () => {
      await Promise.all([db.close(), versionSessions.close()])
    },
  }
}

/**
 * Migrations are applied in the order of their names and stay applied, so the newest is looked up until it is found.
 */
function schemaCheck(sql: SqlTx, migrations: URL): () => Promise<string | null> {
  const newest = readdirSync(migrations, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .at(-1)
  if (newest === undefined) throw new Error(`no migration in ${migrations.pathname}`)
  let isApplied = false
  return async () => {
    if (isApplied) await sql.$queryRawUnsafe('SELECT 1')
    else isApplied = (await hasMigrations(sql)) && (await hasMigration(sql, newest))
    return isApplied ? null : `the migration ${newest} is not applied`
  }
}

async function hasMigrations(sql: SqlTx): Promise<boolean> {
  const [row] = await sql.$queryRawUnsafe<[{ found: boolean }]>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found`,
  )
  return row.found
}

async function hasMigration(sql: SqlTx, name: string): Promise<boolean> {
  const rows = await sql.$queryRawUnsafe<unknown[]>(
    'SELECT 1 FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL',
    name,
  )
  return rows.length > 0
}
