import type { DeadLetter } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { List, listQuery, useIsEmpty } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { foreign } from '../../text/foreign.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { causeOf } from '../deliveries/causes.ts'
import { Destination } from '../deliveries/destination.tsx'
import { DeadLetterFilterBar, deadLetterFilters } from './dead-letter-filters.tsx'
import { LetterActions } from './letter-actions.tsx'
import styles from './letters.module.css'
import { type DeadLetterFilters, filterOf, type Selection } from './selection.ts'

/** Dead letters that match a filter. Actions change the chosen ones, or everything that matches. */
export function LettersPage() {
  useChanges()
  const filters = deadLetterFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  const change = (search: Record<string, string>) => {
    setChosen(new Set())
    void navigate({ to: '/dead-letters/list', search, replace: true })
  }
  const query = lettersQuery(filters)
  const isEmpty = useIsEmpty(query)
  const selection: Selection = chosen.size === 0 ? { filter: filters } : { ids: [...chosen] }
  return (
    <Page
      title={titleOf(filters)}
      about="Dead letters that match these filters. Those of the newest events are first."
      operation="listDeadLetters"
      args={filters}
      actions={<LetterActions selection={selection} hasButtons={!isEmpty} />}
    >
      {() => (
        <>
          <p>
            <Link to="/dead-letters">All groups</Link>
          </p>
          <DeadLetterFilterBar filters={filters} onChange={change} />
          <List
            label="Dead letters"
            query={query}
            columns={columnsWith(chosen, choose)}
            idOf={({ id }) => id}
            empty={
              <Empty title="No dead letter matches.">
                None failed in this way, or they were sent again or discarded.
              </Empty>
            }
          />
        </>
      )}
    </Page>
  )
}

const titleOf = ({ error_kind: kind, status_code: code, event_type: type }: DeadLetterFilters): string => {
  if (kind !== undefined) return causeOf(kind, code)
  return type === undefined ? 'Dead letters' : foreign(type)
}

const lettersQuery = (filters: DeadLetterFilters) =>
  listQuery<DeadLetter>({
    key: ['dead_letters', 'list', filters],
    read: async (cursor, signal) => {
      const query = { ...filterOf(filters), limit: 50, ...(cursor === undefined ? {} : { cursor }) }
      const { data, next_cursor } = await api.listDeadLetters(query, { signal }).page()
      return { data: data.filter((each) => 'id' in each) as DeadLetter[], next_cursor }
    },
  })

/** The API takes at most as many ids. */
const chosenMax = 1_000

const columnsWith = (
  chosen: ReadonlySet<string>,
  onChoose: (id: string, isChosen: boolean) => void,
): readonly Column<DeadLetter>[] => [
  {
    name: 'Event',
    width: 'minmax(0, 1.5fr)',
    cell: ({ id, event_type }) => (
      <span className={styles.choice}>
        <input
          type="checkbox"
          aria-label={`Choose the dead letter ${id}`}
          checked={chosen.has(id)}
          disabled={chosen.size >= chosenMax && !chosen.has(id)}
          onChange={({ target }) => onChoose(id, target.checked)}
        />
        <Link to="/dead-letters/$letterId" params={{ letterId: id }}>
          {foreign(event_type)}
        </Link>
      </span>
    ),
  },
  { name: 'Cause', width: '11rem', cell: ({ error_kind, status_code }) => causeOf(error_kind, status_code) },
  {
    name: 'Endpoint',
    width: 'minmax(0, 1.5fr)',
    cell: ({ destination_url, business_unit_id, subscription_id }) => (
      <Destination url={destination_url} unitId={business_unit_id} subscriptionId={subscription_id} />
    ),
  },
  { name: 'Attempts', width: '6rem', isNumber: true, cell: ({ attempt_count }) => attempt_count },
  { name: 'Died', width: '8rem', cell: ({ dead_at }) => <Time at={dead_at} /> },
]
