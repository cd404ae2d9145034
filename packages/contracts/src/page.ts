import { z } from 'zod'
import { commonProblems, Problem } from './problem.ts'

/**
 * A page of a list, newest first. Ids are UUID v7, so their order is the order of creation, and the cursor is the last
 * id seen: it stays correct while rows are added.
 */
export const limitMax = 200

export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(limitMax).default(50).describe('Maximum number of items in the page.'),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{21}[AQgw]$/, 'must be a next_cursor of this list')
    .optional()
    .describe('`next_cursor` of the previous page. Default: the first page.'),
})

export type PageQuery = z.output<typeof pageQuery>

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

export const page = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item).describe('Items of the page, newest first.'),
    next_cursor: z.string().nullable().describe('`cursor` of the next page. Null on the last page.'),
  })

export function cursorOf(id: string): string {
  return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
}

/** The id behind a cursor, or undefined at the start of a list. Throws `invalid_request` for a cursor that no list returned. */
export function idBefore(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== 16 || bytes.toString('base64url') !== cursor) {
    const detail = 'must be a next_cursor of this list'
    throw new Problem(commonProblems.invalid_request, { detail, errors: [{ pointer: '/query/cursor', detail }] })
  }
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Cuts `limit` items from rows read with `LIMIT limit + 1`. */
export function pageOf<R extends { id: string }, T>(
  rows: readonly R[],
  limit: number,
  present: (row: R) => T,
): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(present),
    next_cursor: rows.length > limit && last !== undefined ? cursorOf(last.id) : null,
  }
}
