import pg from 'pg'

/** Looks at every row of a service's database, whoever's it is, so that a test can say that nothing was changed. */
export interface Rows {
  /** One line per table: its name, how many rows it has, and a digest over all of them. */
  readonly digest: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

/** `ownerUrl`: as payments_owner, whom row-level security binds too unless they say that they look at every tenant. */
export async function rowsOf(ownerUrl: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 5_000, query_timeout: 10_000 })
  await client.connect()
  await client.query(`SET app.tenant_id = '*'`)
  const tables = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname <> '_prisma_migrations' ORDER BY relname`,
  )
  const looks = tables.rows.map(({ name }) => {
    const table = pg.escapeIdentifier(name)
    const digest = `md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), ''))`
    return `SELECT ${pg.escapeLiteral(name)} || ' ' || count(*) || ' ' || ${digest} AS line FROM ${table} t`
  })
  if (looks.length === 0) throw new Error('There is no table to look at')
  return {
    digest: async () => {
      const { rows } = await client.query<{ line: string }>(looks.join('\nUNION ALL '))
      return rows.map(({ line }) => line)
    },
    stop: () => client.end(),
  }
}
