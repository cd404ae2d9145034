import { encodeCursor, type Page, toPage } from './page.ts'

/** Rows of a list that one read searches, so that no read of a large tenant holds a connection for long. */
export const searchedRowsMax = 10_000

export const searchedPageText =
  'A page with a filter searches at most 10,000 items. So it may have fewer items than `limit`, or none, before the last page: read on while `next_cursor` is not null.'

/** A part of a list in the order of `Position`. */
export interface Searched<Row, Position> {
  /** At most one more than the limit of the page. */
  readonly rows: readonly Row[]
  /** The position of the last row that was searched. Null: all of them. */
  readonly searchedTo: Position | null
}

/** A page in the order of ids. It may be short, and continues where the search ended. */
export function searchedPage<Row extends { readonly id: string }, T>(
  { rows, searchedTo }: Searched<Row, string>,
  limit: number,
  present: (row: Row) => T,
): Page<T> {
  const page = toPage(rows, limit, present)
  return searchedTo === null ? page : { ...page, next_cursor: page.next_cursor ?? encodeCursor(searchedTo) }
}
