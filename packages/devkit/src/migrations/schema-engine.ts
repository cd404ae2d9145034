/**
 * Runs the schema engine of Prisma as WebAssembly through adapter-pg, because the binary of the engine does not come
 * from a package registry. `_prisma_migrations` gets the same rows as from the official command line.
 *
 * `migrationAdapter` works around four defects of adapter-pg 7.10:
 * 1. It does not know the type "char" (OID 18) of system catalogues. Such columns are read as text and returned as
 *    single characters, for CHECK constraints.
 * 2. `executeScript` splits at every semicolon, also in function bodies. The script is sent whole.
 * 3. Its shadow connection uses the main database. The shadow gets its own connection string.
 * 4. The shadow database is dropped while its own pool is connected. The pool is closed first.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils'
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'

const charOid = 18
const textOid = 25
const connectTimeoutMs = 10_000

export type SchemaEngine = engineModule.SchemaEngine

/** Part of Node, but declared only in the browser library of TypeScript, which is not loaded. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> }
}

let instantiated = false

function instantiate(): void {
  if (instantiated) return
  const require = createRequire(import.meta.url)
  const file = join(dirname(require.resolve('@prisma/schema-engine-wasm')), 'schema_engine_bg.wasm')
  const module = new WebAssembly.Module(readFileSync(file))
  const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': withQuietTimers(engineModule) })
  engineModule.__wbg_set_wasm(instance.exports)
  const start = instance.exports['__wbindgen_start'] as () => void
  start()
  instantiated = true
}

/** The engine never clears the timer (10 s) of its lock. An unreferenced timer does not keep the process alive. */
function withQuietTimers(imports: object): object {
  const quiet = Object.entries(imports).map(([name, value]) => {
    if (!name.startsWith('__wbg_setTimeout_')) return [name, value]
    return [name, (callback: object, delayMs: number) => (value as WasmTimer)(callback, delayMs).unref()]
  })
  return Object.fromEntries(quiet) as object
}

type WasmTimer = (callback: object, delayMs: number) => NodeJS.Timeout

export interface Connection {
  readonly databaseUrl: string
  /** A role that may create and drop databases, for the commands that replay migrations (drift, create). */
  readonly adminUrl?: string
}

/** A script that the server rejected, with the message of the server; `cause` is the error of the engine. */
export class ServerError extends Error {}

/** Opens an engine on one database while `use` runs. */
export async function withEngine<T>(
  schema: { path: string; content: string },
  connection: Connection,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  instantiate()
  const factory = migrationAdapter(connection)
  const adapter = bindMigrationAwareSqlAdapterFactory(factory)
  let engine: SchemaEngine | undefined
  try {
    engine = await engineModule.SchemaEngine.new({ datamodels: [[schema.path, schema.content]] }, () => {}, adapter)
    return await use(engine)
  } catch (cause) {
    const refused = factory.refused()
    throw refused === undefined ? cause : new ServerError(refused, { cause })
  } finally {
    engine?.free()
    await factory.close()
  }
}

/** The engine does not report the end of its use of a connection, so the opener closes the adapter. */
function migrationAdapter({ databaseUrl, adminUrl }: Connection) {
  const opened = new Set<SqlDriverAdapter>()
  let refused: string | undefined
  const open = async (config: pg.PoolConfig, whenClosed: () => Promise<void>) => {
    const pool = new pg.Pool(config)
    const charColumns = new Set<number>()
    const adapter = await new PrismaPg(readingCharAsText(pool, charColumns), {
      disposeExternalPool: true,
      schema: 'public',
    }).connect()
    const queryRaw = adapter.queryRaw.bind(adapter)
    let closed = false
    const patched: SqlDriverAdapter = Object.assign(adapter, {
      async queryRaw(...query: Parameters<typeof queryRaw>) {
        if (query[0].sql.includes(migrationsTable)) await requireMigrationsTable(pool)
        // One query at a time per connection: the recorded columns belong to this result.
        const result = await queryRaw(...query)
        const columnTypes = result.columnTypes.map((type, at) =>
          charColumns.has(at) ? ColumnTypeEnum.Character : type,
        )
        return { ...result, columnTypes }
      },
      async executeScript(script: string) {
        try {
          await adapter.executeRaw({ sql: script, args: [], argTypes: [] })
        } catch (error) {
          if (error instanceof DriverAdapterError) refused = error.cause.originalMessage
          throw error
        }
      },
      async dispose() {
        if (closed) return
        closed = true
        opened.delete(patched)
        await pool.end()
        await whenClosed()
      },
    })
    opened.add(patched)
    return patched
  }
  return {
    provider: 'postgres' as const,
    adapterName: 'payments-migrations',
    connect: () => open(toClientConfig(databaseUrl), async () => {}),
    async connectToShadowDb() {
      const admin = new pg.Client(toClientConfig(adminUrl ?? databaseUrl))
      await admin.connect()
      const database = `payments_shadow_${crypto.randomUUID().replaceAll('-', '')}`
      await admin.query(`CREATE DATABASE ${database}`)
      return open(toClientConfig(adminUrl ?? databaseUrl, database), async () => {
        await admin.query(`DROP DATABASE ${database} WITH (FORCE)`)
        await admin.end()
      })
    },
    refused: () => refused,
    async close() {
      for (const adapter of opened) await adapter.dispose()
    },
  }
}

const migrationsTable = '_prisma_migrations'

/**
 * The engine recognizes a new database by an error. This function creates the error, because the server would log it
 * at every first start.
 */
async function requireMigrationsTable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ found: string | null }>('SELECT to_regclass($1)::text AS found', [
    migrationsTable,
  ])
  if (rows[0]?.found !== null) return
  const originalMessage = `relation "${migrationsTable}" does not exist`
  const known = { originalCode: '42P01', originalMessage }
  throw new DriverAdapterError({ kind: 'TableDoesNotExist', table: migrationsTable, ...known })
}

function toClientConfig(databaseUrl: string, database?: string): pg.PoolConfig {
  const url = new URL(databaseUrl)
  if (database !== undefined) url.pathname = `/${database}`
  return { connectionString: url.href, max: 1, connectionTimeoutMillis: connectTimeoutMs }
}

/** Records in `charColumns` the columns of type "char" in the last result. */
function readingCharAsText(pool: pg.Pool, charColumns: Set<number>): pg.Pool {
  const query = pool.query.bind(pool) as (
    request: unknown,
    values?: unknown,
  ) => Promise<pg.QueryResult | pg.QueryResult[]>
  const patched = async (request: unknown, values?: unknown) => {
    const result = await query(request, values)
    const results = Array.isArray(result) ? result : [result]
    charColumns.clear()
    for (const { fields } of results) {
      for (const [at, field] of fields.entries()) {
        if (field.dataTypeID !== charOid) continue
        field.dataTypeID = textOid
        charColumns.add(at)
      }
    }
    return result
  }
  return Object.assign(pool, { query: patched as unknown as pg.Pool['query'] })
}
