import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { foreign } from '../../text/foreign.ts'
import { count } from '../../text/format.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { causeOf } from '../deliveries/causes.ts'
import { useSubscriptionNames } from '../names/subscription-names.tsx'
import { DeadLetterFilterBar, deadLetterFilters } from './dead-letter-filters.tsx'
import { type DeadLetterFilters, filterOf } from './selection.ts'

/** The dead letters of the tenant in groups, largest first. */
export function DeadLettersPage() {
  useChanges()
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const filters = deadLetterFilters(search)
  const by = groupings.find(({ value }) => value === search['group_by'])?.value ?? 'cause'
  const navigate = useNavigate()
  const change = (part: Record<string, string>) =>
    void navigate({ to: '/dead-letters', search: { ...filters, group_by: by, ...part }, replace: true })
  return (
    <Page
      title="Dead letters"
      about="Deliveries that failed at every attempt. Open a group to send its deliveries again, or to discard them."
      operation="listDeadLetters"
      args={{ ...filters, group_by: by }}
      actions={
        <Link className="button" to="/tasks">
          Tasks
        </Link>
      }
    >
      {() => (
        <>
          <div className="row">
            {groupings.map(({ value, label }) => (
              <button key={value} type="button" aria-pressed={value === by} onClick={() => change({ group_by: value })}>
                {label}
              </button>
            ))}
            <Link to="/dead-letters/list" search={filters}>
              Without groups
            </Link>
          </div>
          <DeadLetterFilterBar filters={filters} onChange={change} />
          <GroupList filters={filters} by={by} />
        </>
      )}
    </Page>
  )
}

const groupings = [
  { value: 'cause', label: 'By cause' },
  { value: 'subscription', label: 'By subscription' },
  { value: 'event_type', label: 'By event type' },
] as const

type Grouping = (typeof groupings)[number]['value']

/** A group of `listDeadLetters` with `group_by`. */
interface Group {
  readonly key: string
  readonly count: number
  readonly oldest_at: string
  readonly newest_at: string
  readonly filter: Readonly<Record<string, string | number>> | null
}

function GroupList({ filters, by }: { filters: DeadLetterFilters; by: Grouping }) {
  const { nameOf } = useSubscriptionNames()
  const nameOfGroup = (key: string) => {
    if (by === 'subscription') return nameOf(key)
    const [kind = '', code] = key.split(':')
    return by === 'cause' ? causeOf(kind, code) : foreign(key)
  }
  return (
    <List
      label="Groups of dead letters"
      query={groupsQuery(filters, by)}
      columns={columnsWith(nameOfGroup)}
      idOf={({ key }) => key}
      empty={<Empty title="No dead letter matches.">A delivery appears here when its last attempt has failed.</Empty>}
    />
  )
}

const groupsQuery = (filters: DeadLetterFilters, by: Grouping) =>
  listQuery<Group>({
    key: ['dead_letters', 'groups', filters, by],
    read: async (cursor, signal) => {
      const query = { ...filterOf(filters), group_by: by, limit: 50, ...(cursor === undefined ? {} : { cursor }) }
      const { data, next_cursor } = await api.listDeadLetters(query, { signal }).page()
      return { data: data.filter((each) => 'key' in each) as Group[], next_cursor }
    },
  })

const columnsWith = (nameOf: (key: string) => string): readonly Column<Group>[] => [
  {
    name: 'Group',
    width: 'minmax(0, 2fr)',
    cell: ({ key, filter }) =>
      filter === null ? (
        nameOf(key)
      ) : (
        <Link to="/dead-letters/list" search={textOf(filter)}>
          {nameOf(key)}
        </Link>
      ),
  },
  { name: 'Dead letters', width: '8rem', isNumber: true, cell: (group) => count(group.count) },
  { name: 'Oldest', width: '9rem', cell: ({ oldest_at }) => <Time at={oldest_at} /> },
  { name: 'Newest', width: '9rem', cell: ({ newest_at }) => <Time at={newest_at} /> },
]

const textOf = (filter: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]))
