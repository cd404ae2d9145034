import { withClient } from '@payments/devkit/servers/databases'

/** A column of a table. */
export interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
  /** Whether a row can be inserted without a value. */
  readonly optional: boolean
}

/** The columns of every table of a service. `ownerUrl`: of a database, with the role that owns the tables. */
export function readColumns(ownerUrl: string): Promise<Column[]> {
  return withClient(ownerUrl, async (owner) => {
    const { rows } = await owner.query<Column>(`
      SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type,
        NOT a.attnotnull OR a.atthasdef OR a.attidentity <> '' AS optional
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND a.attnum > 0 AND NOT a.attisdropped
        AND c.relowner = current_user::regrole AND c.relname <> '_prisma_migrations'
      ORDER BY 1, 2`)
    return rows
  })
}

/** Changes of columns that break the previous release. `schema`: the Prisma schema of that release. */
export function findIncompatible(before: readonly Column[], after: readonly Column[], schema: string): string[] {
  const unused = ignoredIn(schema)
  const key = ({ table, column }: Column) => `${table}.${column}`
  const later = new Map(after.map((one) => [key(one), one]))
  const earlier = new Set(before.map(key))
  const tables = new Set(before.map(({ table }) => table))
  const changed = before
    .filter((one) => !unused.has(key(one)))
    .flatMap((one) => {
      const now = later.get(key(one))
      if (now === undefined) return [`${key(one)} was dropped or renamed`]
      if (now.type !== one.type) return [`${key(one)} is ${now.type}, was ${one.type}`]
      return one.optional && !now.optional ? [`${key(one)} cannot be left out any more`] : []
    })
  const required = after
    .filter((one) => tables.has(one.table) && !earlier.has(key(one)) && !one.optional)
    .map((one) => `${key(one)} is new and cannot be left out`)
  return [...changed, ...required]
}

/** The columns that a Prisma schema ignores: no client reads or writes them. */
function ignoredIn(schema: string): Set<string> {
  const models = schema.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)
  const columns = [...models].flatMap(([, model = '', body = '']) => {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model
    const isIgnored = body.includes('@@ignore')
    return body
      .split('\n')
      .filter((line) => /^ +\w/.test(line) && (isIgnored || /@ignore\b/.test(line)))
      .map((line) => `${table}.${/@map\("(\w+)"\)/.exec(line)?.[1] ?? line.trim().split(' ')[0]}`)
  })
  return new Set(columns)
}

/**
 * Adds a column to every table, as a migration of a next release may. A statement waits for its lock for a limited
 * time, and tries again: meanwhile no request waits behind the statement.
 */
export function addColumns(ownerUrl: string): Promise<number> {
  return withClient(ownerUrl, async (owner) => {
    await owner.query(`SET lock_timeout = '${lockTimeoutMs}ms'`)
    const tables = new Set((await readColumns(ownerUrl)).map(({ table }) => table))
    for (const table of tables) await addColumn(() => owner.query(`ALTER TABLE "${table}" ADD COLUMN added text`))
    return tables.size
  })
}

const lockTimeoutMs = 500
const attemptsMax = 60
const lockNotAvailable = '55P03'

async function addColumn(alter: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await alter()
      return
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable || attempt === attemptsMax) throw error
    }
  }
}
