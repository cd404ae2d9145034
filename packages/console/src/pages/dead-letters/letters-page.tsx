import type { DeadLetter } from '@payments/client/schemas'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ListPage, useFilters, useIsEmpty } from '../../layout/list.tsx'
import { describeCause } from '../../parts/causes.ts'
import { Destination, LetterLink } from '../../parts/links.tsx'
import type { Filters } from '../../session/api.ts'
import { withChoice } from '../../text/changes.ts'
import { foreign } from '../../text/format.ts'
import { Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { filtersWithOwnCode, useDeadLetterFields } from './dead-letter-filters.ts'
import { LetterActions } from './letter-actions.tsx'
import styles from './letters.module.css'
import type { Selection } from './selection.ts'

/** Dead letters that match a filter. Actions change the chosen ones, or everything that matches. */
export function LettersPage() {
  const fields = useDeadLetterFields()
  const filters = useFilters(fields)
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<readonly string[]>([])
  const list = { operation: 'listDeadLetters', topic: 'dead_letters', args: filters } as const
  const isEmpty = useIsEmpty(list)
  const selection: Selection = chosen.length === 0 ? { filter: filters } : { ids: chosen }
  return (
    <ListPage
      {...list}
      title={describeFilters(filters)}
      label="Dead letters"
      about="Dead letters that match these filters. Those of the newest events are first."
      fields={fields}
      onFilter={(next) => {
        setChosen([])
        void navigate({ to: '/dead-letters/list', search: filtersWithOwnCode(next, filters), replace: true })
      }}
      columns={columnsWith(chosen, setChosen)}
      empty="No dead letter matches."
      hint="None failed in this way, or they were sent again or discarded."
      actions={<LetterActions selection={selection} hasButtons={!isEmpty} />}
      above={
        <p>
          <Link to="/dead-letters">All groups</Link>
        </p>
      }
    />
  )
}

const describeFilters = ({ error_kind: kind, status_code: code, event_type: type }: Filters): string => {
  if (kind !== undefined) return describeCause(kind, code)
  return type === undefined ? 'Dead letters' : foreign(type)
}

/** The API takes at most as many ids. */
const chosenMax = 1_000

const columnsWith = (
  chosen: readonly string[],
  onChoose: (ids: readonly string[]) => void,
): readonly Column<DeadLetter>[] => [
  {
    name: 'Event',
    width: 'minmax(0, 1.5fr)',
    cell: ({ id, event_type }) => (
      <span className={styles.choice}>
        <input
          type="checkbox"
          aria-label={`Choose the dead letter ${id}`}
          checked={chosen.includes(id)}
          disabled={chosen.length >= chosenMax && !chosen.includes(id)}
          onChange={({ target }) => onChoose(withChoice(chosen, id, target.checked))}
        />
        <LetterLink id={id}>{foreign(event_type)}</LetterLink>
      </span>
    ),
  },
  { name: 'Cause', width: '11rem', cell: ({ error_kind, status_code }) => describeCause(error_kind, status_code) },
  { name: 'Endpoint', width: 'minmax(0, 1.5fr)', cell: (letter) => <Destination delivery={letter} /> },
  { name: 'Attempts', width: '6rem', isNumber: true, cell: ({ attempt_count }) => attempt_count },
  { name: 'Died', width: '8rem', cell: ({ dead_at }) => <Time at={dead_at} /> },
]
