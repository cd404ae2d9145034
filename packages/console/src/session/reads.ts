import type { Arguments, List } from '@payments/client'
import { type InfiniteData, type Query, useQuery } from '@tanstack/react-query'
import { type Filters, type ListName, listItems, type ReadName, readResource } from './api.ts'
import { onRecovery } from './connection.ts'
import { queryClient } from './query-client.ts'
import { usePermitted } from './self.ts'

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

const pageSize = 200
const staleMs = 30_000

/** The items of a list, for a choice or for names. Sends nothing where the person may not read them. */
export function useItemsQuery<Name extends ListName>(operation: Name, topic: string, args: Filters = {}) {
  return useQuery({
    queryKey: [topic, 'items', operation, args],
    queryFn: ({ signal }) => readItems(listItems(operation, { ...args, limit: pageSize }, signal)),
    enabled: usePermitted(operation),
    staleTime: staleMs,
  })
}

/** The same items; none until they are read, and where the person may not read them. */
export const useItems = <Name extends ListName>(operation: Name, topic: string, args?: Filters) =>
  useItemsQuery(operation, topic, args).data ?? noItems

const noItems: readonly never[] = []

/** One resource. Sends nothing where the person may not read it, or where it is not wanted. */
export function useResource<Name extends ReadName>(
  topic: string,
  operation: Name,
  args: Arguments<Name>,
  isWanted = true,
) {
  return useQuery({
    queryKey: [topic, operation, ...Object.values(args)],
    queryFn: ({ signal }) => readResource(operation, args, signal),
    enabled: usePermitted(operation) && isWanted,
  })
}

/** A list that is read again reads each loaded page again, so a longer one is not read again by itself. */
export const livePagesMax = 4

const countPages = (data: unknown): number => (data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 1

const isLong = ({ state }: Query) => countPages(state.data) > livePagesMax

/** Reads again what the filter selects, apart from long lists. */
export function readAgain(filter: (query: Query) => boolean): Promise<void> {
  return queryClient.invalidateQueries({ predicate: (query) => filter(query) && !isLong(query) })
}

/** Reads again what is on the page and of the topic, unless it is being read, has failed or is long. */
export function pollTopic(topic: string): void {
  const isPolled = (query: Query) => query.queryKey[0] === topic && query.state.status === 'success' && !isLong(query)
  void queryClient.refetchQueries({ type: 'active', predicate: isPolled }, { cancelRefetch: false })
}

/** Changes while the platform did not respond. */
onRecovery(() => void readAgain(() => true))

/** Reads everything again after a change by this person. A long list starts again at its first page. */
export async function readAllAgain(): Promise<void> {
  await Promise.all([queryClient.resetQueries({ predicate: isLong }), readAgain(() => true)])
}
