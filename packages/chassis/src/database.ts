import type { VersionSessions } from './authorization-version.ts'
import { openVersionSessions } from './authorization-version-sessions.ts'
import { poolSettings } from './pool.ts'
import { type SqlTx, type TransactionClient, type Transactions, transactions } from './transaction.ts'

/** The database of one process of a service. `Tx` is the transaction client that the service's Prisma generates. */
export interface Database<Tx extends SqlTx> extends Transactions<Tx> {
  /** Statements outside of a tenant's transaction, for tables without row-level security: outbox, operator calls. */
  readonly sql: SqlTx
  /** Sets the listener that is called after each commit, to wake the relay. The listener must not throw. */
  afterCommit(listener: () => void): void
  /** Resolves with null, or rejects with the reason why the database is unavailable. */
  check(): Promise<null>
  close(): Promise<void>
}

/** The database of an authorization source. */
export interface AuthorizationSourceDatabase<Tx extends SqlTx> extends Database<Tx> {
  /** For reads of the authorization version, which wait for no transaction. */
  readonly epochs: VersionSessions
}

/** The pool of a client: the options of `pg.Pool` that services set. */
export interface ClientPool {
  readonly connectionString: string
  readonly max: number
  /** Settings of each session: `-c app.tenant_id=*`. */
  readonly options?: string
}

/** The interface of a generated Prisma client. */
interface PrismaLike<Tx> extends SqlTx, TransactionClient<Tx> {
  $disconnect(): Promise<void>
}

export interface DatabaseOptions {
  readonly connectionsMax?: number
  readonly sessionOptions?: string
}

const connectionsMaxDefault = 20

/** Opens the database at `url` with the client of a service. Connects at the first statement. */
export function openPrismaDatabase<Tx extends SqlTx>(
  createClient: (pool: ClientPool) => PrismaLike<Tx>,
  url: string,
  { connectionsMax = connectionsMaxDefault, sessionOptions }: DatabaseOptions = {},
): Database<Tx> {
  const pool = { connectionString: url, max: connectionsMax, ...poolSettings }
  const prisma = createClient(sessionOptions === undefined ? pool : { ...pool, options: sessionOptions })
  let committed = () => {}
  return {
    ...transactions<Tx>(prisma, () => committed()),
    sql: prisma,
    afterCommit: (listener) => {
      committed = listener
    },
    check: async () => {
      await prisma.$queryRawUnsafe('SELECT 1')
      return null
    },
    close: () => prisma.$disconnect(),
  }
}

/** As `openPrismaDatabase`, with sessions for reads of the authorization version. */
export function openAuthorizationSourceDatabase<Tx extends SqlTx>(
  createClient: (pool: ClientPool) => PrismaLike<Tx>,
  url: string,
): AuthorizationSourceDatabase<Tx> {
  const db = openPrismaDatabase(createClient, url)
  const epochs = openVersionSessions(url)
  return {
    ...db,
    epochs,
    close: async () => {
      await Promise.all([db.close(), epochs.close()])
    },
  }
}
