import type { List } from '@payments/client'
import type { InfiniteData, Query } from '@tanstack/react-query'
import { onRecovery } from './connection.ts'
import { queryClient } from './query-client.ts'

/** Few tenants have more of one kind: templates, keys, users, subscriptions. */
export const itemsMax = 1_000

/** The items of all pages of a list, for a choice or for names. Of a longer list, the first pages. */
export async function readItems<Item>(list: List<Item>): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const { data } of list.pages()) {
    items.push(...data)
    if (items.length >= itemsMax) break
  }
  return items
}

/** A list that is read again reads each loaded page again, so a longer one is not read again by itself. */
export const livePagesMax = 4

const pagesOf = (data: unknown): number => (data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 1

const isLong = ({ state }: Query) => pagesOf(state.data) > livePagesMax

/** Reads again what the filter selects, apart from long lists. */
export function readAgain(filter: (query: Query) => boolean): Promise<void> {
  return queryClient.invalidateQueries({ predicate: (query) => filter(query) && !isLong(query) })
}

/** Changes while the platform did not respond. */
onRecovery(() => void readAgain(() => true))

/** Reads everything again after a change by this person. A long list starts again at its first page. */
export async function readAllAgain(): Promise<void> {
  await Promise.all([queryClient.resetQueries({ predicate: isLong }), readAgain(() => true)])
}
