import { type Connection, type CustomTypesConfig, Query, type QueryResult, type Submittable } from 'pg'

/** A statement as the driver takes it. Prisma adds `rowMode` and `types`. */
export interface DriverStatement {
  readonly text: string
  readonly values?: readonly unknown[] | undefined
  readonly name?: string | undefined
  readonly rowMode?: 'array' | undefined
  readonly types?: CustomTypesConfig | undefined
}

/** The part of a query of the driver that its client calls, which its types leave out. */
interface DriverQuery extends Submittable {
  readonly name: string | undefined
  readonly text: string
  handleRowDescription(message: unknown): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Connection): void
  handleEmptyQuery(connection: Connection): void
  handleReadyForQuery(connection: Connection): void
  handleError(error: Error, connection: Connection): void
}

/** Names of the statements that the driver has sent to be prepared, and that the server has not confirmed. */
interface Submitted {
  readonly submittedNamedStatements?: Record<string, string>
}

type Done = (error: Error | null, results: readonly QueryResult[]) => void

/**
 * **What it does.** Sends several statements in one message, and reads all of their results: one round trip. It uses
 * the extended query protocol of PostgreSQL with a single Sync (chapter "Pipelining" of its documentation).
 *
 * **Guarantees.** Outside of a transaction, the statements are a transaction: when one fails, the server skips the
 * others, and nothing commits. A statement sees the changes of those before it.
 *
 * **Not guaranteed.** A statement cannot use a result of an earlier one. `BEGIN` may only be the first.
 *
 * The client of `pg` runs it as one query, and reads `name` and `text` when the server reports a parsed statement: both
 * are of the statement whose results arrive.
 */
export class Pipeline implements Submittable {
  readonly #queries: readonly DriverQuery[]
  readonly #results: QueryResult[] = []
  readonly #done: Done
  #current = 0
  #failure: Error | undefined

  constructor(statements: readonly DriverStatement[], done: Done) {
    this.#done = done
    this.#queries = statements.map((statement) => this.#prepareQuery(statement))
  }

  get name(): string | undefined {
    return this.#queries[this.#current]?.name
  }

  get text(): string | undefined {
    return this.#queries[this.#current]?.text
  }

  submit(connection: Connection): void {
    const { stream } = connection
    const withoutSync: Connection = Object.create(connection, { sync: { value: () => {} } })
    stream.cork()
    try {
      for (const query of this.#queries) query.submit(withoutSync)
      // A value that the driver cannot write. The server has part of the statements, and without a Sync commits none.
      if (this.#failure === undefined) connection.sync()
      else stream.destroy()
    } finally {
      stream.uncork()
    }
  }

  handleRowDescription(message: unknown): void {
    this.#queries[this.#current]?.handleRowDescription(message)
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#current]?.handleDataRow(message)
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.#queries[this.#current]?.handleCommandComplete(message, connection)
    this.#current += 1
  }

  handleEmptyQuery(): void {
    this.#current += 1
  }

  /** After the results of the last statement. */
  handleReadyForQuery(connection: Connection): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection)
    this.#done(null, this.#results)
  }

  handleError(error: Error, connection: Connection): void {
    // The server has skipped the statements after the failed one, and has prepared none of them.
    const { submittedNamedStatements: submitted } = connection as Connection & Submitted
    for (const { name } of this.#queries.slice(this.#current)) if (name !== undefined) delete submitted?.[name]
    this.#done(this.#failure ?? error, [])
  }

  #prepareQuery({ values = [], ...statement }: DriverStatement): DriverQuery {
    const collect = (error: Error | undefined, result: QueryResult) => {
      if (error == null) this.#results.push(result)
      else this.#failure = error
    }
    // The driver would send a statement without values and name by the simple protocol, which ends a pipeline.
    const config = { ...statement, values: [...values], queryMode: 'extended' }
    return new Query(config, collect as never) as unknown as DriverQuery
  }
}
