import { type Searched, searchedRowsMax } from '@payments/contracts/grammar/searched-page'
import sql, { join, raw, Sql } from 'sql-template-tag'
import { inIndexOrder } from './index-order.ts'
import type { Statement } from './statement.ts'
import type { SqlTx } from './transaction.ts'

/** SQL with its values, of `Prisma.sql` or of `sql-template-tag`. */
interface SqlPart {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
}

interface IdSearch {
  /** Has an index of `tenant_id` and `id`. */
  readonly table: string
  /** Ranges of the id, or conditions of one index that has the id behind them: only such rows are searched. */
  readonly among?: readonly SqlPart[]
  /** Conditions that a found row meets. The row is `searched`. */
  readonly where?: readonly SqlPart[]
  readonly before: string | undefined
  readonly limit: number
}

/**
 * Ids of rows of the tenant, newest first; one more than `limit`. At most `searchedRowsMax` rows are read: the inner
 * query takes them in the order of their ids, and the conditions are checked one by one until the page is full.
 */
export function searchIds(
  tx: SqlTx,
  tenantId: string,
  { table, among = [], where = [], before, limit }: IdSearch,
): Promise<Searched<{ id: string }, string>> {
  const searched = [sql`tenant_id = ${tenantId}::uuid`, ...among.map(toSql)]
  if (before !== undefined) searched.push(sql`id < ${before}::uuid`)
  const inOrder = sql`FROM ${raw(table)} WHERE ${join(searched, ' AND ')} ORDER BY id DESC`
  const found = join([sql`true`, ...where.map(toSql)], ' AND ')
  return inIndexOrder(tx, async () => {
    const rows = await select(
      tx,
      sql`SELECT id FROM (SELECT * ${inOrder} LIMIT ${raw(`${searchedRowsMax}`)}) AS searched
        WHERE ${found} ORDER BY id DESC LIMIT ${limit + 1}::int`,
    )
    if (rows.length > limit || where.length === 0) return { rows, searchedTo: null }
    const [last] = await select(tx, sql`SELECT id ${inOrder} OFFSET ${raw(`${searchedRowsMax - 1}`)} LIMIT 1`)
    return { rows, searchedTo: last?.id ?? null }
  })
}

/** Rows of a filter that are found, and not searched in the order of the list. */
const fewRowsMax = 1_000

/**
 * The ids that the query finds. Null: more than 1,000. The query takes them in the order of the index of its condition,
 * so that no more rows are read.
 */
export async function fewIds(tx: SqlTx, { text, values }: Statement): Promise<string[] | null> {
  const limited = `SELECT id FROM (${text} LIMIT ${fewRowsMax + 1}) AS few`
  const rows = await inIndexOrder(tx, () => tx.$queryRawUnsafe<{ id: string }[]>(limited, ...values))
  return rows.length > fewRowsMax ? null : rows.map(({ id }) => id)
}

const toSql = ({ strings, values }: SqlPart) => new Sql(strings, values as never)

const select = (tx: SqlTx, { text, values }: Sql): Promise<{ id: string }[]> =>
  tx.$queryRawUnsafe<{ id: string }[]>(text, ...values)
