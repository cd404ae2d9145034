/**
 * Prisma's schema engine as WebAssembly, driven through adapter-pg, because the engine's binary comes from a host that is no package
 * registry. What it writes to `_prisma_migrations` is what the official command line writes.
 *
 * Four faults of adapter-pg 7.10 stand in the way, and `migrationAdapter` steps around each:
 * 1. the type "char" (OID 18) of the system catalogues is unknown to it: such columns are read as text, and handed on as
 *    the single characters they are, which is what the engine expects where it describes CHECK constraints;
 * 2. `executeScript` splits at every semicolon, function bodies included: the script goes to the server whole;
 * 3. its shadow connection keeps the database of the connection string, so shadow SQL would run on the main database: the shadow
 *    gets a connection string of its own;
 * 4. the shadow database is dropped while its own pool is connected: the pool is closed first.
 *
 * Beside these, `requireMigrationsTable` keeps an error out of the server's log.
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

/** Part of Node, but TypeScript knows it only from the browser's library, which we do not load. */
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

/** The engine never clears the timer (10 s) with which it guards its lock; unreferenced, it keeps no process from ending. */
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
  /** May create and drop databases. Needed by what replays migrations (drift, create), not by deploy. */
  readonly adminUrl?: string
}

/** A script of ours that the server refused, in the server's words; `cause` is the engine's account of it. */
export class ServerError extends Error {}

/** Opens an engine on one database for the time of `use`. */
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

/** The engine never says when it is done with its connection, so whoever opened the adapter closes it. */
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
        // One connection, one query at a time: the columns noted are those of this answer.
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
    connect: () => open(configOf(databaseUrl), async () => {}),
    async connectToShadowDb() {
      const admin = new pg.Client(configOf(adminUrl ?? databaseUrl))
      await admin.connect()
      const database = `payments_shadow_${crypto.randomUUID().replaceAll('-', '')}`
      await admin.query(`CREATE DATABASE ${database}`)
      return open(configOf(adminUrl ?? databaseUrl, database), async () => {
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
 * The engine learns from an error that a database is new. It gets the error from us: the server would log it for every first start.
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

function configOf(databaseUrl: string, database?: string): pg.PoolConfig {
  const url = new URL(databaseUrl)
  if (database !== undefined) url.pathname = `/${database}`
  return { connectionString: url.href, max: 1, connectionTimeoutMillis: connectTimeoutMs }
}

/** Notes in `charColumns` which columns of the last answer were of type "char". */
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
