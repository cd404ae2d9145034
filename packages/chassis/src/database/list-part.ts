import type { ListPart } from '@payments/contracts/grammar/page'
import type { SqlTx } from './transaction.ts'

/**
 * Stored bytes of the rows of one page. A process decodes, checks and encodes a page whole, so the memory of a request
 * is a multiple of it.
 */
const pageBytesMax = 2 * 1024 * 1024

/** Of the columns that have a small bound. */
const smallColumnsBytes = 500

export interface SizedTable {
  readonly table: string
  /** SQL: the bytes of a row, as `bytesSql` returns it. */
  readonly bytes: string
}

/** SQL: the bytes of a row with these large columns. The length of a text is read without the text. */
export function bytesSql(columns: readonly string[]): string {
  return [`${smallColumnsBytes}`, ...columns.map((column) => `coalesce(octet_length(${column}::text), 0)`)].join(' + ')
}

/**
 * The longest part of a list that has at most `limit` rows and `pageBytesMax` bytes, and at least one row. `ids`: those
 * of the rows in the order of the list, one more than `limit`. Only the rows of the part are read. `tenantId` null: of
 * any tenant.
 */
export async function partOfList<Row>(
  tx: SqlTx,
  tenantId: string | null,
  { of: { table, bytes }, ids, limit }: { of: SizedTable; ids: readonly string[]; limit: number },
  read: (ids: string[]) => Promise<Row[]>,
): Promise<ListPart<Row, string>> {
  const rows =
    ids.length === 0
      ? []
      : await tx.$queryRawUnsafe<{ key: string; bytes: number }[]>(
          `SELECT id::text AS key, (${bytes})::float8 AS bytes FROM ${table}
           WHERE ($1::uuid IS NULL OR tenant_id = $1::uuid) AND id = ANY($2::uuid[])`,
          tenantId,
          ids,
        )
  const bytesById = new Map(rows.map((row) => [row.key, row.bytes]))
  const sizes = ids.map((key) => ({ key, bytes: bytesById.get(key) ?? 0 }))
  return partOfSizes(sizes, limit, read)
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
