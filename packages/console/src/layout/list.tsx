import type { Page } from '@payments/client'
import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect } from 'react'
import { onRecovery } from '../session/connection.ts'
import { livePagesMax } from '../session/lists.ts'
import { Notice } from '../ui/notice.tsx'
import { type Column, Table } from '../ui/table.tsx'
import styles from './list.module.css'
import { Failed, NotReadAgain } from './loaded.tsx'
import { Loading } from './page.tsx'

const pollMs = 5_000

interface ListQuery<Item> {
  readonly key: readonly unknown[]
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Item>>
  /** Read the list again and again while its first page alone is loaded. */
  readonly isLive?: boolean
}

/** A list of the API, page by page. */
export const listQuery = <Item,>({ key, read, isLive = false }: ListQuery<Item>) =>
  infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) <= 1 ? pollMs : false),
  })

/** Whether the list has been read and has no rows. Reads nothing itself. */
export function useIsEmpty<Item>(query: ReturnType<typeof listQuery<Item>>): boolean {
  const { data } = useInfiniteQuery({ ...query, enabled: false })
  return data?.pages.every((page) => page.data.length === 0) ?? false
}

interface ListProps<Item> {
  readonly label: string
  readonly query: ReturnType<typeof listQuery<Item>>
  readonly columns: readonly Column<Item>[]
  readonly idOf: (item: Item) => string
  readonly empty: ReactNode
}

/** A list in each of its states. The next page is read when the reader comes near the end. */
export function List<Item>({ label, query, columns, idOf, empty }: ListProps<Item>) {
  const { data, error, dataUpdatedAt, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } =
    useInfiniteQuery(query)
  const retry = useCallback(
    () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
    [isFetchNextPageError, fetchNextPage, refetch],
  )
  // A long list is not read again by itself, but a page of it that failed is.
  useEffect(() => (isFetchNextPageError ? onRecovery(retry) : undefined), [isFetchNextPageError, retry])
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  if (data === undefined) return error === null ? <Loading lines={8} /> : <Failed error={error} onRetry={retry} />
  const isLong = data.pages.length > livePagesMax
  const rows = data.pages.flatMap((page) => page.data)
  return (
    <>
      <NotReadAgain error={error} readAtMs={dataUpdatedAt} onRetry={retry} />
      {rows.length === 0 && !hasNextPage ? empty : null}
      {rows.length === 0 ? null : <Table label={label} columns={columns} rows={rows} idOf={idOf} onEnd={readMore} />}
      {hasNextPage && data.pages.at(-1)?.data.length === 0 && !isFetchingNextPage ? (
        <SearchFurther onClick={readMore} />
      ) : null}
      {isLong ? <LongList queryKey={query.queryKey} /> : null}
      {isFetchingNextPage ? <Loading /> : null}
    </>
  )
}

/** Below a page without items that is not the last one: the API searches many items in parts. */
function SearchFurther({ onClick }: { onClick: () => void }) {
  return (
    <Notice tone="info">
      No other item matches in this part of the list.{' '}
      <button type="button" data-kind="plain" onClick={onClick}>
        Search older items
      </button>
    </Notice>
  )
}

/** At the lower edge of the window, below a list that is not read again by itself. */
function LongList({ queryKey }: { queryKey: readonly unknown[] }) {
  const queryClient = useQueryClient()
  const restart = () => {
    window.scrollTo(0, 0)
    void queryClient.resetQueries({ queryKey, exact: true })
  }
  return (
    <div className={styles.long}>
      <Notice tone="info">
        The list is long and does not change by itself.{' '}
        <button type="button" data-kind="plain" onClick={restart}>
          Back to the start
        </button>
      </Notice>
    </div>
  )
}
