import { Client, Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg'
import { Counter } from 'prom-client'
import { toUncommittedError } from './errors.ts'
import { type DriverStatement, Pipeline } from './pipeline.ts'
import { poolSettings, responseWaitMsMax } from './pool.ts'
import { beginIn, type Scope, scopes, setScope } from './scope.ts'
import { createStatementNames, type Statement, type StatementNames, withoutNames } from './statement.ts'

/** Registered by `createMetrics`. */
export const roundTrips = new Counter({
  name: 'database_round_trips_total',
  help: 'Messages sent to the database server, each with one statement or several',
  registers: [],
})

/** After the wait for a response. A process that stood still reads the responses of that time in it. */
const readMs = 1_000

const nothing: QueryResult = { command: '', rowCount: null, oid: 0, fields: [], rows: [] }

/**
 * **What it does.** A session that sends the statements that begin a transaction together with its first statement, and
 * a COMMIT or ROLLBACK only when a statement was sent. Prisma awaits each of them alone.
 *
 * **Guarantees.** No statement of a transaction runs without BEGIN and the scope before it. A session whose server does
 * not respond ends with the code ETIMEDOUT, and its pool opens another one.
 */
class Session extends Client {
  responseMsMax = responseWaitMsMax
  names: PoolNames = { own: withoutNames, generated: withoutNames }
  /** Statements that wait for the first statement of the transaction. */
  #begin: readonly Statement[] | undefined

  /** A statement as an object, as Prisma sends it, or as text and values. */
  override query(...args: unknown[]): never {
    const [statement, values] = args as [DriverStatement | string, (readonly unknown[])?]
    return this.#run(typeof statement === 'string' ? { text: statement, values } : statement) as never
  }

  /** Runs statements in one round trip. Outside of a transaction, they are one. */
  runTogether(statements: readonly DriverStatement[]): Promise<readonly QueryResult[]> {
    const sent = new Promise<readonly QueryResult[]>((resolve, reject) => {
      super.query(
        new Pipeline(
          statements.map((statement) => this.#withName(statement)),
          (error, results) => (error === null ? resolve(results) : reject(error)),
        ),
      )
    })
    return this.#response(sent).catch((error: Error) => {
      // The stack of the driver begins at the socket. This one names the caller.
      Error.captureStackTrace(error)
      throw error
    })
  }

  /** A session returns to its pool: the transaction that had it has ended. */
  reset(): void {
    this.#begin = undefined
  }

  async #run(statement: DriverStatement): Promise<QueryResult> {
    const begin = this.#begin
    this.#begin = undefined
    if (statement.text === 'BEGIN') {
      const scope = scopes.getStore()
      if (scope?.of !== 'transaction') return this.#send(statement)
      this.#begin = beginIn(scope)
      return nothing
    }
    if (begin === undefined) return this.#send(statement)
    if (statement.text === 'COMMIT' || statement.text === 'ROLLBACK') return nothing
    const results = await this.runTogether([...begin, statement])
    return results.at(-1) ?? nothing
  }

  /** A statement without values, such as COMMIT, is not prepared. */
  #send(statement: DriverStatement): Promise<QueryResult> {
    const isPrepared = (statement.values ?? []).length > 0
    const message = (isPrepared ? this.#withName(statement) : statement) as never
    return this.#response(super.query(message) as unknown as Promise<QueryResult>)
  }

  async #response<R>(sent: Promise<R>): Promise<R> {
    roundTrips.inc()
    const end = () => this.connection.stream.destroy(new Unresponsive(this.responseMsMax))
    let timer = setTimeout(() => {
      timer = setTimeout(end, readMs)
    }, this.responseMsMax)
    try {
      return await sent
    } finally {
      clearTimeout(timer)
    }
  }

  #withName({ text, values, rowMode, types }: DriverStatement): DriverStatement {
    const names = rowMode === undefined ? this.names.own : this.names.generated
    return { text, values, rowMode, types, name: names(text) }
  }
}

/** The server of a session is lost, whatever it did with the last message. */
class Unresponsive extends Error {
  override readonly name = 'Unresponsive'
  readonly code = 'ETIMEDOUT'

  constructor(ms: number) {
    super(`the database server did not respond in ${ms} ms`)
  }
}

/**
 * Names of prepared statements. Prisma writes another text for each set of filters of a caller, so the texts that it
 * generates must not use up the names of our statements.
 */
interface PoolNames {
  readonly own: StatementNames
  readonly generated: StatementNames
}

/** A session of a pool, until `release`. */
type PoolSession = Session & Pick<PoolClient, 'release'>

/** A pool creates only sessions of this class. */
const toSession = (client: PoolClient) => client as unknown as PoolSession

/**
 * The pool of a database. Prisma and our own statements share its sessions.
 *
 * A statement that Prisma sends outside of a transaction runs in the scope of its caller. The scope is read when the
 * statement is passed, because a pool calls back in the context of the caller that released the session.
 */
export class SessionPool extends Pool {
  override query(...args: unknown[]): never {
    return this.#run(args, scopes.getStore()) as never
  }

  /** Runs the statements in one round trip and one transaction, in the scope of `tenantId`. */
  async pipeline(tenantId: string, statements: readonly Statement[]): Promise<readonly QueryResult[]> {
    const run = (session: PoolSession) => session.runTogether([setScope(tenantId), ...statements])
    const [, ...results] = await this.#with(run, toUncommittedError)
    return results
  }

  /** Runs one statement, outside of any scope. */
  statement({ text, values }: Statement): Promise<QueryResult> {
    return this.#with(
      async (session) => (await session.runTogether([{ text, values }]))[0] ?? nothing,
      toUncommittedError,
    )
  }

  async #run(args: unknown[], scope: Scope | undefined): Promise<QueryResult> {
    if (scope?.of !== 'statement') return this.#with((session) => session.query(...args))
    const [statement] = args as [DriverStatement]
    const results = await this.#with((session) => session.runTogether([setScope(scope.tenantId), statement]))
    return results[1] ?? nothing
  }

  /** `toConnectError`: the error without a session. Prisma reads the codes of the errors of its statements. */
  async #with<R>(
    work: (session: PoolSession) => Promise<R>,
    toConnectError: (error: unknown) => unknown = (error) => error,
  ): Promise<R> {
    const connected = await this.connect().catch((error: unknown) => {
      throw toConnectError(error)
    })
    const session = toSession(connected)
    try {
      return await work(session)
    } finally {
      session.release()
    }
  }
}

export interface SessionPoolOptions extends Pick<PoolConfig, 'max' | 'connectionTimeoutMillis'> {
  /** Maximum names of our statements, and of statements of Prisma. */
  readonly namesMax?: number
  /** How long a session waits for the response to a message. Default: longer than a statement can take. */
  readonly responseMsMax?: number
}

/** With this parameter in its URL, nothing is prepared: for a pooler in transaction mode that prepares nothing. */
const preparedStatements = 'prepared_statements'

/** Opens a pool of sessions at `url`. Connects at the first statement. */
export function openSessionPool(url: string, options: SessionPoolOptions = {}): SessionPool {
  const { namesMax, responseMsMax = responseWaitMsMax, ...limits } = options
  const prepares = new URL(url).searchParams.get(preparedStatements) !== 'false'
  const createNames = () => (prepares ? createStatementNames(namesMax) : withoutNames)
  const names = { own: createNames(), generated: createNames() }
  const config = { connectionString: url, ...poolSettings, ...limits }
  const pool = new SessionPool({ ...config, Client: Session } as PoolConfig)
  pool.on('connect', (session) => {
    Object.assign(toSession(session), { names, responseMsMax })
  })
  pool.on('release', (_error, session) => toSession(session).reset())
  // An idle session that ends must not end the process. The next statement opens another session.
  pool.on('error', () => {})
  return pool
}
