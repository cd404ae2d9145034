import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../../layout/card.tsx'
import { api, type OperationName } from '../../session/api.ts'
import { foreign, formatHour, formatQuantity, latenessOfHours } from '../../text/format.ts'
import { Bars, type Series } from '../../ui/bars.tsx'

interface Hourly {
  readonly intervals: readonly { readonly starts_at: string }[]
}

interface StatisticsCardProps<Data extends Hourly> {
  /** The counted resources: `Payments`. */
  readonly noun: string
  readonly title?: string
  readonly operation: OperationName
  readonly read: (signal: AbortSignal) => Promise<Data>
  readonly series: readonly Series[]
  /** The values of an interval, one of each series. */
  readonly toValues: (interval: Data['intervals'][number]) => readonly number[]
  readonly hint?: string
  readonly isWide?: boolean
  /** Below the bars. */
  readonly children: (data: Data) => ReactNode
}

const refetchMs = 60_000

/** The resources created in the last 24 hours, by hour and status. */
function StatisticsCard<Data extends Hourly>({
  noun,
  title = noun,
  operation,
  read,
  series,
  toValues,
  hint = latenessOfHours,
  isWide = false,
  children,
}: StatisticsCardProps<Data>) {
  return (
    <Card
      title={`${title}, last 24 hours`}
      operation={operation}
      queryKey={['statistics', operation]}
      read={read}
      refetchMs={refetchMs}
      isWide={isWide}
    >
      {(data) => (
        <>
          <Bars
            title={`${noun} per hour`}
            series={series}
            hint={hint}
            bars={data.intervals.map((interval) => ({
              label: formatHour(new Date(interval.starts_at)),
              values: toValues(interval),
            }))}
          />
          {children(data)}
        </>
      )}
    </Card>
  )
}

export const DeliveriesCard = () => (
  <StatisticsCard
    noun="Deliveries"
    operation="readDeliveryStatistics"
    read={(signal) => api.readDeliveryStatistics({}, { signal })}
    series={[
      { name: 'Delivered', tone: 'good' },
      { name: 'Waiting', tone: 'warning' },
      { name: 'Dead', tone: 'bad' },
      { name: 'Discarded', tone: 'muted' },
    ]}
    toValues={({ by_status: { delivered, dead, discarded, pending, delivering, retrying, held } }) => [
      delivered,
      pending + delivering + retrying + held,
      dead,
      discarded,
    ]}
  >
    {() => (
      <p>
        <Link to="/deliveries">All deliveries</Link>
      </p>
    )}
  </StatisticsCard>
)

export const PaymentsCard = () => (
  <StatisticsCard
    noun="Payments"
    operation="readPaymentStatistics"
    read={(signal) => api.readPaymentStatistics({}, { signal })}
    series={[
      { name: 'Paid or authorized', tone: 'good' },
      { name: 'Pending', tone: 'warning' },
      { name: 'Failed', tone: 'bad' },
      { name: 'Voided', tone: 'muted' },
    ]}
    toValues={({ total, by_status: { pending, failed, voided } }) => [
      total - pending - failed - voided,
      pending,
      failed,
      voided,
    ]}
    isWide
  >
    {() => (
      <p>
        <Link to="/transactions">All transactions</Link>
      </p>
    )}
  </StatisticsCard>
)

const codesShown = 5
const ofPrograms = 'none'

/** With the most frequent problem codes. Without the requests of people. */
export const RequestsCard = () => (
  <StatisticsCard
    noun="Requests"
    title="API requests"
    operation="readAuditStatistics"
    read={(signal) => api.readAuditStatistics({ client: ofPrograms }, { signal })}
    series={[
      { name: 'Success', tone: 'good' },
      { name: 'Rejected', tone: 'warning' },
      { name: 'Denied', tone: 'accent' },
      { name: 'Error', tone: 'bad' },
    ]}
    toValues={({ success, rejected, denied, error }) => [success, rejected, denied, error]}
    hint="Counts are some seconds late."
  >
    {({ codes }) =>
      codes.length === 0 ? (
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
      )
    }
  </StatisticsCard>
)
