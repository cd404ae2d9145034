import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { api } from '../../session/api.ts'
import { formatHour, latenessOfHours } from '../../text/format.ts'
import { Bars } from '../../ui/bars.tsx'

const refetchMs = 60_000

const series = [
  { name: 'Delivered', tone: 'good' },
  { name: 'Waiting', tone: 'warning' },
  { name: 'Dead', tone: 'bad' },
  { name: 'Discarded', tone: 'muted' },
] as const

/** The deliveries that were created in the last 24 hours, by their status. */
export function DeliveriesCard() {
  return (
    <Card
      title="Deliveries, last 24 hours"
      operations={['readDeliveryStatistics']}
      queryKey={['statistics', 'deliveries']}
      read={(signal) => api.readDeliveryStatistics({}, { signal })}
      refetchMs={refetchMs}
    >
      {({ intervals }) => (
        <>
          <Bars
            title="Deliveries per hour"
            series={series}
            hint={latenessOfHours}
            bars={intervals.map(({ starts_at, by_status: { delivered, dead, discarded, ...waiting } }) => ({
              label: formatHour(new Date(starts_at)),
              values: [
                delivered,
                waiting.pending + waiting.delivering + waiting.retrying + waiting.held,
                dead,
                discarded,
              ],
            }))}
          />
          <p>
            <Link to="/deliveries">All deliveries</Link>
          </p>
        </>
      )}
    </Card>
  )
}
