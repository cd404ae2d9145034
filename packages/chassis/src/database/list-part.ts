import type { ListPart } from '@payments/contracts/grammar/page'
import type { SqlTx } from './transaction.ts'

/**
 * Stored bytes of the rows of one page. A process decodes, checks and encodes a page whole, so the memory of a request
 * and the time of an event loop are a multiple of it.
 */
const pageBytesMax = 1024 * 1024

/** Of the columns that have a small bound. */
const smallColumnsBytes = 500

export interface SizedTable {
  readonly table: string
  /** SQL: the bytes of a row, as `bytesSql` returns it. */
  readonly bytes: string
}

/** SQL: the bytes of a row with these large columns. The length of a text is read without the text, of JSON with it. */
export function bytesSql(columns: readonly string[]): string {
  return [`${smallColumnsBytes}`, ...columns.map((column) => `coalesce(octet_length(${column}::text), 0)`)].join(' + ')
}

/**
 * The longest part of a list that has at most `limit` rows and `pageBytesMax` bytes, and at least one row. `ids`: those
 * of the rows in the order of the list, one more than `limit`. Only the rows of the part and one more are read.
 * `tenantId` null: of any tenant.
 */
export async function partOfList<Row>(
  tx: SqlTx,
  tenantId: string | null,
  { of: { table, bytes }, ids, limit }: { of: SizedTable; ids: readonly string[]; limit: number },
  read: (ids: string[]) => Promise<Row[]>,
): Promise<ListPart<Row, string>> {
  const [first, ...more] = ids.slice(0, limit)
  if (first === undefined) return { rows: [], continuesAfter: null }
  // Row by row, because the length of JSON needs its text: the rows behind the page are as large.
  const part = `
    WITH RECURSIVE part(count, bytes) AS (
      SELECT 0, 0::float8
      UNION ALL
      SELECT part.count + 1, part.bytes + coalesce((
        SELECT ${bytes} FROM ${table}
        WHERE ($1::uuid IS NULL OR tenant_id = $1::uuid) AND id = ($2::uuid[])[part.count + 1]), 0)
      FROM part WHERE part.bytes <= ${pageBytesMax} AND part.count < cardinality($2::uuid[]))
    SELECT max(count) AS count FROM part WHERE bytes <= ${pageBytesMax}`
  const found = more.length === 0 ? [] : await tx.$queryRawUnsafe<{ count: number }[]>(part, tenantId, [first, ...more])
  const keys = [first, ...more.slice(0, Math.max((found[0]?.count ?? 0) - 1, 0))]
  return { rows: await read(keys), continuesAfter: ids.length > keys.length ? (keys.at(-1) ?? null) : null }
}

/** As `partOfList`, for rows with another key than their id. */
export async function partOfSizes<Key, Row>(
  sizes: readonly { readonly key: Key; readonly bytes: number }[],
  limit: number,
  read: (keys: Key[]) => Promise<Row[]>,
): Promise<ListPart<Row, Key>> {
  const keys: Key[] = []
  let total = 0
  for (const { key, bytes } of sizes.slice(0, limit)) {
    total += bytes
    if (keys.length > 0 && total > pageBytesMax) break
    keys.push(key)
  }
  const rows = keys.length === 0 ? [] : await read(keys)
  return { rows, continuesAfter: sizes.length > keys.length ? (keys.at(-1) ?? null) : null }
}
