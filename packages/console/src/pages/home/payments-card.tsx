import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { api } from '../../session/api.ts'
import { formatHour, latenessOfHours } from '../../text/format.ts'
import { Bars } from '../../ui/bars.tsx'

const refetchMs = 60_000

const series = [
  { name: 'Paid or authorized', tone: 'good' },
  { name: 'Pending', tone: 'warning' },
  { name: 'Failed', tone: 'bad' },
  { name: 'Voided', tone: 'muted' },
] as const

/** The transactions that were created in the last 24 hours, by their status. */
export function PaymentsCard() {
  return (
    <Card
      title="Payments, last 24 hours"
      operations={['readPaymentStatistics']}
      queryKey={['statistics', 'payments']}
      read={(signal) => api.readPaymentStatistics({}, { signal })}
      refetchMs={refetchMs}
      isWide
    >
      {({ intervals }) => (
        <>
          <Bars
            title="Payments per hour"
            series={series}
            hint={latenessOfHours}
            bars={intervals.map(({ starts_at, total, by_status: { pending, failed, voided } }) => ({
              label: formatHour(new Date(starts_at)),
              values: [total - pending - failed - voided, pending, failed, voided],
            }))}
          />
          <p>
            <Link to="/transactions">All transactions</Link>
          </p>
        </>
      )}
    </Card>
  )
}
