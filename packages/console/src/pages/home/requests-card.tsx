import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { formatHour, formatQuantity } from '../../text/format.ts'
import { Bars } from '../../ui/bars.tsx'

const refetchMs = 60_000
const codesShown = 5
const ofPrograms = 'none'

const series = [
  { name: 'Success', tone: 'good' },
  { name: 'Rejected', tone: 'warning' },
  { name: 'Denied', tone: 'accent' },
  { name: 'Error', tone: 'bad' },
] as const

/** The requests of the last 24 hours by outcome, and their most frequent problem codes. Without those of people. */
export function RequestsCard() {
  return (
    <Card
      title="API requests, last 24 hours"
      operations={['readAuditStatistics']}
      queryKey={['statistics', 'audit']}
      read={(signal) => api.readAuditStatistics({ client: ofPrograms }, { signal })}
      refetchMs={refetchMs}
    >
      {({ intervals, codes }) => (
        <>
          <Bars
            title="Requests per hour"
            series={series}
            hint="Counts are some seconds late."
            bars={intervals.map(({ starts_at, success, rejected, denied, error }) => ({
              label: formatHour(new Date(starts_at)),
              values: [success, rejected, denied, error],
            }))}
          />
          {codes.length === 0 ? (
            <p className="muted">No request failed.</p>
          ) : (
            <div>
              <h3>Most frequent problem codes</h3>
              <ul>
                {codes.slice(0, codesShown).map(({ code, outcome, requests }) => (
                  <li key={`${code} ${outcome}`} className="row">
                    <Link to="/audit" search={{ code, outcome, client: ofPrograms }}>
                      <code>{foreign(code)}</code>
                    </Link>
                    <small>{formatQuantity(requests, 'request')}</small>
                  </li>
                ))}
              </ul>
            </div>
          )}
        </>
      )}
    </Card>
  )
}
