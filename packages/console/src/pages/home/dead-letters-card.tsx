import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { describeCause } from '../../parts/causes.ts'
import { api } from '../../session/api.ts'
import { formatQuantity } from '../../text/format.ts'
import { Time } from '../../ui/values.tsx'

const groupsMax = 5

interface Group {
  readonly key: string
  readonly count: number
  readonly newest_at: string
  readonly filter: { readonly error_kind?: string; readonly status_code?: number }
}

/** Deliveries that failed to the end of their schedule, by cause, the largest cause first. */
export function DeadLettersCard() {
  return (
    <Card
      title="Dead letters by cause"
      operation="listDeadLetters"
      queryKey={['dead_letters', 'by-cause']}
      read={async (signal) => {
        const page = await api.listDeadLetters({ group_by: 'cause', limit: groupsMax }, { signal }).page()
        return page.data as unknown as readonly Group[]
      }}
    >
      {(groups) =>
        groups.length === 0 ? (
          <p className="muted">No delivery failed to the end of its schedule.</p>
        ) : (
          <>
            <ul className="stack">
              {groups.map(({ key, count, newest_at, filter: { error_kind, status_code } }) => (
                <li key={key} className="row">
                  <Link
                    to="/dead-letters/list"
                    search={{
                      ...(error_kind === undefined ? {} : { error_kind }),
                      ...(status_code === undefined ? {} : { status_code: String(status_code) }),
                    }}
                  >
                    {describeCause(error_kind ?? null, status_code)}
                  </Link>
                  <small>
                    {formatQuantity(count, 'delivery', 'deliveries')}, latest <Time at={newest_at} />
                  </small>
                </li>
              ))}
            </ul>
            <p>
              <Link to="/dead-letters">All dead letters</Link>
            </p>
          </>
        )
      }
    </Card>
  )
}
