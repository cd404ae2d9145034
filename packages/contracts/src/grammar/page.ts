import { z } from 'zod'
import { formatUuid, instant, prose, queryInteger } from './field.ts'
import { parseJson } from './json.ts'
import { commonProblems, Problem } from './problem.ts'

/**
 * A page of a list, newest first. Ids are UUID v7, so their order is the order of creation, and the cursor is the last
 * id seen: it stays correct while rows are added.
 */
export const limitMax = 200

const limit = queryInteger(1, limitMax)
const foreignCursor = 'must be a next_cursor of this list'
const limitText = 'Maximum number of items in the page.'
const cursorText = '`next_cursor` of the previous page. Default: the first page.'

export const pageQuery = z.strictObject({
  limit: limit.prefault(50).describe(limitText),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{21}[AQgw]$/, foreignCursor)
    .optional()
    .describe(cursorText),
})

export type PageQuery = z.output<typeof pageQuery>

/**
 * A list in another order than the order of ids: a catalogue by name, groups by size. The cursor is the position of the
 * last item. `limitDefault`: a catalogue is short and fits into one page by default.
 */
export const positionedPageQuery = (limitDefault: number) =>
  z.strictObject({
    limit: limit.prefault(limitDefault).describe(limitText),
    cursor: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,1000}$/, foreignCursor)
      .optional()
      .describe(cursorText),
  })

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

const unreadableItem = z
  .object({ id: z.string().nullable().describe('Identifier of the item. Null where it has none.') })
  .meta({ id: 'UnreadableItem', description: 'An item that exists, and that the platform could not show.' })

const itemSchemas = new WeakMap<z.ZodType, z.ZodType>()

export const page = <T extends z.ZodType>(item: T) => {
  const schema = z.object({
    data: z.array(item).describe('Items of the page.'),
    next_cursor: z.string().nullable().describe('`cursor` of the next page. Null on the last page.'),
    unreadable: z
      .array(unreadableItem)
      .optional()
      .describe('Items of the page that exist, and that the platform could not show. Absent without one.'),
  })
  itemSchemas.set(schema, item)
  return schema
}

type ReadablePage = Page<unknown> & { readonly unreadable: readonly z.output<typeof unreadableItem>[] }

/**
 * The page, encoded, without the items that `schema` rejects. Of a union of pages, the one that rejects the fewest
 * items. Undefined unless `schema` is one of pages.
 */
export function readablePage(schema: z.ZodType, body: Page<unknown>): ReadablePage | undefined {
  const schemas = schema instanceof z.ZodUnion ? (schema.options as readonly z.ZodType[]) : [schema]
  const pages = schemas.flatMap((one) => {
    const item = itemSchemas.get(one)
    return item === undefined ? [] : [readableItems(item, body)]
  })
  return pages.sort((a, b) => a.unreadable.length - b.unreadable.length)[0]
}

function readableItems(item: z.ZodType, { data, next_cursor }: Page<unknown>): ReadablePage {
  const readable: unknown[] = []
  const unreadable: z.output<typeof unreadableItem>[] = []
  for (const one of data) {
    const parsed = item.safeParse(one)
    if (parsed.success) readable.push(parsed.data)
    else unreadable.push({ id: readId(one) })
  }
  return { data: readable, next_cursor, unreadable }
}

function readId(item: unknown): string | null {
  const { id } = (item ?? {}) as { id?: unknown }
  return typeof id === 'string' ? id : null
}

export function encodeCursor(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

/**
 * The id behind a cursor, or undefined at the start of a list. Throws `invalid_request` for a cursor that no list
 * returned.
 */
export function idBefore(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== 16 || bytes.toString('base64url') !== cursor) throw badCursor()
  return formatUuid(bytes.toString('hex'))
}

/** Cuts `limit` items from rows read with `LIMIT limit + 1`. */
export function toPage<R extends { id: string }, T>(
  rows: readonly R[],
  limit: number,
  present: (row: R) => T,
): Page<T> {
  return cut(rows, limit, present, ({ id }) => encodeCursor(id))
}

/** Rows of a list, and the key after which it continues. Null: the end of the list. */
export interface ListPart<Row, Key> {
  readonly rows: readonly Row[]
  readonly continuesAfter: Key | null
}

/** As `toPage`, for a part that the store has cut. */
export function pageOfPart<Row, Key, T>(
  { rows, continuesAfter }: ListPart<Row, Key>,
  cursorAfter: (key: Key) => string,
  present: (row: Row) => T,
): Page<T> {
  return { data: rows.map(present), next_cursor: continuesAfter === null ? null : cursorAfter(continuesAfter) }
}

/** The values by which a list is ordered that is not in the order of ids. */
type Position = readonly (string | number | null)[]

/** As `toPage`, for a list in the order of positions. */
export function pageAt<R, T>(
  rows: readonly R[],
  limit: number,
  readPosition: (row: R) => Position,
  present: (row: R) => T,
): Page<T> {
  return cut(rows, limit, present, (row) => cursorAt(readPosition(row)))
}

function cut<R, T>(rows: readonly R[], limit: number, present: (row: R) => T, cursorAfter: (row: R) => string) {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(present),
    next_cursor: rows.length > limit && last !== undefined ? cursorAfter(last) : null,
  }
}

/** A text in a position, as PostgreSQL can compare it. */
export const positionText = prose(1_000)

/** An instant in a position. PostgreSQL has no year 0000. */
export const positionInstant = instant.refine((written) => written >= '1970', foreignCursor)

export function cursorAt(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/**
 * The position behind such a cursor, or undefined at the start of a list. Throws `invalid_request` for one we did not
 * make.
 */
export function positionBehind<S extends z.ZodType>(cursor: string | undefined, position: S): z.output<S> | undefined {
  if (cursor === undefined) return undefined
  const parsed = position.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')))
  if (!parsed.success || cursorAt(parsed.data as string[]) !== cursor) throw badCursor()
  return parsed.data
}

/** A page of a whole list at hand, in the order of the names of its items, which are unique. */
export function pageByName<T>(
  items: readonly T[],
  readName: (item: T) => string,
  { limit: count, cursor }: Pick<PageQuery, 'limit' | 'cursor'>,
): Page<T> {
  const [after] = positionBehind(cursor, z.tuple([z.string()])) ?? []
  const rest = items.filter((item) => after === undefined || readName(item) > after)
  const sorted = rest.sort((a, b) => (readName(a) < readName(b) ? -1 : 1))
  const readPosition = (item: T) => [readName(item)]
  return pageAt(sorted, count, readPosition, (item) => item)
}

function badCursor(): Problem {
  return new Problem(commonProblems.invalid_request, {
    detail: foreignCursor,
    errors: [{ pointer: '/query/cursor', detail: foreignCursor }],
  })
}
