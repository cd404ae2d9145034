import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect } from 'react'
import { type Filters, type ItemOf, type ListName, listItems } from '../session/api.ts'
import { useChanges } from '../session/changes.ts'
import { onRecovery } from '../session/connection.ts'
import { livePagesMax } from '../session/reads.ts'
import { Notice, Section } from '../ui/content.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { type ActionOffer, Actions } from './actions.tsx'
import styles from './list.module.css'
import { Empty, Failed, Loading, NotReadAgain, Page } from './page.tsx'
import { filtersIn, type SearchField, SearchForm } from './search-form.tsx'

/** A list of the API. */
interface ListSource<Name extends ListName> {
  readonly operation: Name
  /** Of changes: `session/changes.ts`. */
  readonly topic: string
  readonly args?: Filters
}

const pageSize = 50

/** The list, page by page. */
const listQuery = <Name extends ListName>({ operation, topic, args = {} }: ListSource<Name>) =>
  infiniteQueryOptions({
    queryKey: [topic, 'list', operation, args],
    queryFn: ({ pageParam, signal }) =>
      listItems(operation, { ...args, limit: pageSize, cursor: pageParam }, signal).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })

/** Whether the list has been read and has no rows. Reads nothing itself. */
export function useIsEmpty<Name extends ListName>(source: ListSource<Name>): boolean {
  const { data } = useInfiniteQuery({ ...listQuery(source), enabled: false })
  return data?.pages.every((page) => page.data.length === 0) ?? false
}

interface ListProps<Name extends ListName, Item extends ItemOf<Name>> extends ListSource<Name> {
  readonly label: string
  readonly columns: readonly Column<Item>[]
  /** Default: the id of the item. */
  readonly rowKey?: (item: Item) => string
  readonly empty: ReactNode
}

const ownId = (item: unknown) => String((item as { readonly id: unknown }).id)

/** A list in each of its states. The next page is read when the reader comes near the end. */
export function List<Name extends ListName, Item extends ItemOf<Name>>(props: ListProps<Name, Item>) {
  const { label, columns, rowKey = ownId, empty } = props
  const query = listQuery(props)
  useChanges(props.topic)
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
  const rows = data.pages.flatMap((page) => page.data) as Item[]
  return (
    <>
      <NotReadAgain error={error} readAtMs={dataUpdatedAt} onRetry={retry} />
      {rows.length === 0 && !hasNextPage ? empty : null}
      {rows.length === 0 ? null : (
        <Table label={label} columns={columns} rows={rows} rowKey={rowKey} onEnd={readMore} />
      )}
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

type ListSectionProps<Name extends ListName, Item extends ItemOf<Name>> = Omit<ListProps<Name, Item>, 'label'> & {
  readonly title: string
}

/** A part of a page with a list of the API. */
export const ListSection = <Name extends ListName, Item extends ItemOf<Name>>(props: ListSectionProps<Name, Item>) => (
  <Section title={props.title}>
    <List label={props.title} {...props} />
  </Section>
)

interface ListPageProps<Name extends ListName, Item extends ItemOf<Name>>
  extends Omit<ListProps<Name, Item>, 'label' | 'empty'> {
  readonly title: string
  /** The name of the table. Default: the title. */
  readonly label?: string
  readonly about: string
  /** The action of the page, such as the creation of an item. */
  readonly action?: ActionOffer
  /** Others, after it. */
  readonly actions?: ReactNode
  readonly fields?: readonly SearchField[]
  /** Default: shows the list with these filters. */
  readonly onFilter?: (filters: Filters) => void
  /** The title of a list without items, and the way to the first one. */
  readonly empty: string
  readonly hint?: ReactNode
  /** The same of a list without items that match the filters. Default: as for an empty list. */
  readonly noMatch?: string
  readonly noMatchHint?: ReactNode
  /** Above the filters. */
  readonly above?: ReactNode
  /** Below the list. */
  readonly below?: ReactNode
}

const noFields: readonly SearchField[] = []

/** A page with a list of the API. Its filters are in the URL. */
export function ListPage<Name extends ListName, Item extends ItemOf<Name>>(props: ListPageProps<Name, Item>) {
  const {
    title,
    label = title,
    about,
    action,
    actions,
    fields = noFields,
    onFilter,
    empty,
    hint,
    noMatch,
    noMatchHint,
    above,
    below,
    ...list
  } = props
  const navigate = useNavigate()
  const filters = useFilters(fields)
  const args = { ...list.args, ...filters }
  const show = (search: Filters) => void navigate({ to: '.', search, replace: true })
  const hasNoMatch = noMatch !== undefined && Object.keys(filters).length > 0
  return (
    <Page
      title={title}
      about={about}
      operation={list.operation}
      args={args}
      actions={
        <>
          {action === undefined ? null : <Actions actions={[action]} />}
          {actions}
        </>
      }
    >
      {() => (
        <>
          {above}
          {fields.length === 0 ? null : <SearchForm fields={fields} filters={filters} onChange={onFilter ?? show} />}
          <List
            {...list}
            label={label}
            args={args}
            empty={<Empty title={hasNoMatch ? noMatch : empty}>{hasNoMatch ? noMatchHint : hint}</Empty>}
          />
          {below}
        </>
      )}
    </Page>
  )
}

/** The filters that the URL has for these fields. */
export const useFilters = (fields: readonly SearchField[]): Filters => filtersIn(fields, useSearch({ strict: false }))
