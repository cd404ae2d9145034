import { readdirSync } from 'node:fs'
import { createVersionReads, openVersionSessions, type VersionReads } from './authorization-version-reads.ts'
import { createConnectionPermits } from './connection-permits.ts'
import { connectionWaitMsMax } from './pool.ts'
import { openSessionPool, type SessionPool } from './session.ts'
import { statementsAcrossTenants, statementsWithoutTenant } from './statements.ts'
import { Commits, type SqlTx, type TransactionClient, type Transactions, transactions } from './transaction.ts'

/** The database of one process of a service. `Tx` is the transaction client that the service's Prisma generates. */
export interface Database<Tx extends SqlTx> extends Transactions<Tx> {
  /** Statements outside of a tenant's transaction, for tables without row-level security, such as operator calls. */
  readonly sql: SqlTx
  /**
   * Statements over all tenants, each in its own transaction, for the relay of the outbox and the dispatcher, on their
   * own sessions.
   */
  readonly crossTenant: SqlTx
  /** To which the relay of the process listens. */
  readonly commits: Commits
  /**
   * Resolves with null when every migration of this version is applied, else with the reason. Rejects without a
   * database.
   */
  check(): Promise<string | null>
  close(): Promise<void>
}

/** The database of an authorization source. */
export interface AuthorizationSourceDatabase<Tx extends SqlTx> extends Database<Tx> {
  /** Reads of the authorization version wait for no transaction. */
  readonly versions: VersionReads
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
  /** Maximum connections of `crossTenant`. Default: 1, since a relay runs one statement at a time. */
  readonly crossTenantConnectionsMax?: number
}

const connectionsMaxDefault = 20

/** Opens the database at `url` with the client of a service. Connects at the first statement. */
export function openPrismaDatabase<Tx extends SqlTx>(
  createClient: (pool: SessionPool) => PrismaLike<Tx> & Tx,
  url: string,
  options: DatabaseOptions,
): Database<Tx> {
  const { connectionsMax = connectionsMaxDefault, crossTenantConnectionsMax = 1 } = options
  const { migrations, waitMsMax = connectionWaitMsMax } = options
  const pool = openSessionPool(url, { max: connectionsMax, connectionTimeoutMillis: waitMsMax })
  const crossTenantPool = openSessionPool(url, { max: crossTenantConnectionsMax })
  const prisma = createClient(pool)
  const commits = new Commits()
  const sql = statementsWithoutTenant(pool)
  return {
    ...transactions<Tx>(prisma, {
      commits,
      pipeline: (tenantId, statements) => pool.pipeline(tenantId, statements),
      reader: prisma,
      permits: createConnectionPermits(connectionsMax, waitMsMax),
      waitMsMax,
    }),
    sql,
    crossTenant: statementsAcrossTenants(crossTenantPool),
    commits,
    check: schemaCheck(sql, migrations),
    close: async () => {
      await prisma.$disconnect()
      await Promise.all([pool.end(), crossTenantPool.end()])
    },
  }
}

/** The database at `url`, with reads of the authorization version. */
export function withVersionReads<Tx extends SqlTx>(db: Database<Tx>, url: string): AuthorizationSourceDatabase<Tx> {
  const sessions = openVersionSessions(url)
  return {
    ...db,
    versions: createVersionReads(sessions),
    close: async () => {
      await Promise.all([db.close(), sessions.close()])
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
