import type { Connection } from './attempt.ts'
import { type Call, type CallOptions, call, type Operation } from './call.ts'
import { PageLimitError } from './errors.ts'
import { requireInteger } from './retry.ts'

export interface Page<Item> {
  readonly data: readonly Item[]
  /** The cursor of the next page; null on the last page. */
  readonly next_cursor: string | null
}

export interface ListOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Maximum pages that an iteration reads. An iteration that has more throws PageLimitError. Default: 1000. */
  readonly pagesMax?: number | undefined
}

const pagesMaxDefault = 1_000

/**
 * A list of the API, in its order: newest item first, or sorted by name for a catalogue. Nothing is sent before the
 * first page is read. `for await` reads page after page and yields their items; `pages` yields the pages, `page` reads
 * the first one only. Each iteration starts again at the first page, or at the given `cursor`.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Call<Page<Item>>
  readonly #name: string
  readonly #pagesMax: number

  constructor(
    connection: Connection,
    name: string,
    operation: Operation,
    args: Readonly<Record<string, unknown>>,
    { pagesMax = pagesMaxDefault, ...options }: ListOptions,
  ) {
    requireInteger('pagesMax', pagesMax, 1, Number.MAX_SAFE_INTEGER)
    this.#name = name
    this.#pagesMax = pagesMax
    this.#read = (cursor) => {
      const page = call(connection, name, operation, { ...args, cursor: cursor ?? args['cursor'] }, options)
      return page as Call<Page<Item>>
    }
  }

  /** Reads one page: the first, or the page of the given `cursor`. */
  page(): Call<Page<Item>> {
    return this.#read(undefined)
  }

  /** Reads page after page, up to `pagesMax`. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor: string | undefined
    for (let count = 1; ; count++) {
      const page = await this.#read(cursor)
      yield page
      if (page.next_cursor === null) return
      if (count >= this.#pagesMax) throw new PageLimitError(this.#name, this.#pagesMax, page.next_cursor)
      cursor = page.next_cursor
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}
