import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListPage, useFilters } from '../../layout/list.tsx'
import { describeCause, type LetterGroup, toSearch } from '../../parts/causes.ts'
import { useSubscriptionName } from '../../parts/webhooks/names.tsx'
import type { Filters } from '../../session/api.ts'
import { foreign, formatCount } from '../../text/format.ts'
import { Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { filtersWithOwnCode, useDeadLetterFields } from './dead-letter-filters.ts'

/** The dead letters of the tenant in groups, largest first. */
export function DeadLettersPage() {
  const fields = useDeadLetterFields()
  const filters = useFilters(fields)
  const { group_by: given } = useSearch({ strict: false }) as Filters
  const by = groupings.find(({ value }) => value === given)?.value ?? 'cause'
  const navigate = useNavigate()
  const show = (search: Filters) => void navigate({ to: '/dead-letters', search, replace: true })
  return (
    <ListPage
      title="Dead letters"
      label="Groups of dead letters"
      about="Deliveries that failed at every attempt. Open a group to send its deliveries again, or to discard them."
      operation="listDeadLetters"
      topic="dead_letters"
      args={{ group_by: by }}
      fields={fields}
      onFilter={(next) => show({ ...filtersWithOwnCode(next, filters), group_by: by })}
      columns={columnsWith(useGroupName(by))}
      rowKey={({ key }) => key}
      empty="No dead letter matches."
      hint="A delivery appears here when its last attempt has failed."
      actions={
        <Link className="button" to="/tasks">
          Tasks
        </Link>
      }
      above={
        <div className="row">
          {groupings.map(({ value, label }) => (
            <button
              key={value}
              type="button"
              aria-pressed={value === by}
              onClick={() => show({ ...filters, group_by: value })}
            >
              {label}
            </button>
          ))}
          <Link to="/dead-letters/list" search={filters}>
            Without groups
          </Link>
        </div>
      }
    />
  )
}

const groupings = [
  { value: 'cause', label: 'By cause' },
  { value: 'subscription', label: 'By subscription' },
  { value: 'event_type', label: 'By event type' },
] as const

type Grouping = (typeof groupings)[number]['value']

function useGroupName(by: Grouping): (key: string) => string {
  const subscriptionName = useSubscriptionName()
  return (key) => {
    if (by === 'subscription') return subscriptionName(key)
    const [kind = '', code] = key.split(':')
    return by === 'cause' ? describeCause(kind, code) : foreign(key)
  }
}

const columnsWith = (groupName: (key: string) => string): readonly Column<LetterGroup>[] => [
  {
    name: 'Group',
    width: 'minmax(0, 2fr)',
    cell: ({ key, filter }) =>
      filter === null ? (
        groupName(key)
      ) : (
        <Link to="/dead-letters/list" search={toSearch(filter)}>
          {groupName(key)}
        </Link>
      ),
  },
  { name: 'Dead letters', width: '8rem', isNumber: true, cell: (group) => formatCount(group.count) },
  { name: 'Oldest', width: '9rem', cell: ({ oldest_at }) => <Time at={oldest_at} /> },
  { name: 'Newest', width: '9rem', cell: ({ newest_at }) => <Time at={newest_at} /> },
]
