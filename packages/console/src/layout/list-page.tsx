import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Filters, ItemOf, ListName } from '../session/api.ts'
import { type ActionOffer, Actions } from './actions.tsx'
import { List, type ListProps } from './list.tsx'
import { Empty, Page } from './page.tsx'
import { filtersIn, type SearchField, SearchForm } from './search-form.tsx'

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
