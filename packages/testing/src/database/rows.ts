import pg from 'pg'

/** Reads every row of the database of a service, across tenants, so that a test can state that nothing changed. */
export interface Rows {
  /** One line per table: its name, how many rows it has, and a digest over all of them. */
  readonly digest: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

export interface RowsOptions {
  /** Restricts tables with tenants to this tenant, and skips `writtenByJobs`. */
  readonly tenantId?: string
  /** Columns that change without a request. */
  readonly without?: readonly string[]
}

/** The relay empties the outbox; a job counts the rows of each hour some time after the requests. */
const writtenByJobs = ['outbox_events', 'counted_hours', 'hourly_counts']

/**
 * The records of operators' calls are left out: a refused call leaves one too.
 *
 * `ownerUrl`: as payments_owner, whom row-level security binds too unless they say that they look at every tenant.
 */
export async function readRows(ownerUrl: string, { tenantId, without = [] }: RowsOptions = {}): Promise<Rows> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 30_000, query_timeout: 30_000 })
  await client.connect()
  await client.query(`SET app.tenant_id = '*'`)
  const tables = await client.query<{ name: string; has_tenant: boolean }>(
    `SELECT relname AS name, EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant_id') AS has_tenant
     FROM pg_class c
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname NOT IN ('_prisma_migrations', 'operator_calls') ORDER BY relname`,
  )
  const looked = tables.rows.filter(
    (table) => tenantId === undefined || (table.has_tenant && !writtenByJobs.includes(table.name)),
  )
  const leftOut = `ARRAY[${without.map((column) => pg.escapeLiteral(column)).join()}]::text[]`
  const looks = looked.map(({ name }) => {
    const row = `(to_jsonb(t) - ${leftOut})::text`
    const digest = `md5(coalesce(string_agg(${row}, E'\\n' ORDER BY ${row}), ''))`
    const where = tenantId === undefined ? '' : ` WHERE t.tenant_id = ${pg.escapeLiteral(tenantId)}`
    return `SELECT ${pg.escapeLiteral(name)} || ' ' || count(*) || ' ' || ${digest} AS line FROM ${pg.escapeIdentifier(name)} t${where}`
  })
  if (looks.length === 0) throw new Error('There is no table to look at')
  return {
    digest: async () => {
      // Named, and so planned once: of a table with a partition for each day the plan takes longer than the look.
      const { rows } = await client.query<{ line: string }>({ name: 'digest', text: looks.join('\nUNION ALL ') })
      return rows.map(({ line }) => line)
    },
    stop: () => client.end(),
  }
}
