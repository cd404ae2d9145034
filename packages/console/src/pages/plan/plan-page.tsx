import type { DeliveryUsage, MessageUsage, PaymentUsage } from '@payments/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { Page } from '../../layout/page.tsx'
import { api, readResource } from '../../session/api.ts'
import { useItems } from '../../session/reads.ts'
import { useSelf } from '../../session/self.ts'
import { foreign, formatCount, monthName, monthsBack } from '../../text/format.ts'
import { Badge, CopyField, Facts, Section, Time } from '../../ui/content.tsx'
import { Select } from '../../ui/fields.tsx'
import styles from './plan.module.css'
import { readLimits } from './rate-limits.ts'

/** As long as the counts are stored. */
const monthsMax = 25

/** The tenant: its id, environment and status, its limits, and what it used in a month. */
export function PlanPage() {
  return (
    <Page title="Plans and billing" about="Your tenant, its limits and its usage." operation="readSelf">
      {() => (
        <>
          <div className={styles.cards}>
            <TenantCard />
            <LimitsCard />
          </div>
          <UsageOfMonth />
        </>
      )}
    </Page>
  )
}

function TenantCard() {
  const { tenant, environment } = useSelf()
  return (
    <Section title="Tenant" isCard>
      <Facts
        facts={{
          Name: foreign(tenant.name),
          'Tenant id': <CopyField label="the tenant id" value={tenant.id} />,
          Environment: environment.toUpperCase(),
          Status: <Badge tone={tenant.status === 'active' ? 'good' : 'bad'}>{tenant.status}</Badge>,
          Created: <Time at={tenant.created_at} />,
        }}
      />
    </Section>
  )
}

function UsageOfMonth() {
  const navigate = useNavigate()
  const months = monthsBack(new Date(), monthsMax)
  const given = String(useSearch({ strict: false }).month)
  const month = months.includes(given) ? given : (months[0] ?? given)
  return (
    <section className="stack" aria-labelledby="usage">
      <header className={styles.month}>
        <h2 id="usage">Usage in {monthName(month)}</h2>
        <Select
          aria-label="Month"
          value={month}
          options={months.map((value) => ({ value, label: monthName(value) }))}
          onChange={(next) => void navigate({ to: '/plan', search: { month: next }, replace: true })}
        />
      </header>
      <div className={styles.cards}>
        <UsageCard month={month} />
      </div>
      <small>Months are counted in UTC. Counts are some minutes late.</small>
    </section>
  )
}

const refetchMs = 10_000

/** The request rates in force and what is left of them, by the headers of a response. */
function LimitsCard() {
  return (
    <Card
      title="Limits in force"
      operation="readSelf"
      queryKey={['limits']}
      read={async (signal) => readLimits((await api.readSelf({}, { signal }).withResponse()).headers)}
      refetchMs={refetchMs}
    >
      {(limits) => (
        <ul className="stack">
          {limits.map(({ name, quota, seconds, remaining }) => (
            <li key={name} className={styles.limit}>
              <span>
                Requests of {subjects[name] ?? foreign(name)}: {formatCount(quota)} at once,{' '}
                {formatCount(Math.round(quota / seconds))} a second over time
              </span>
              <progress aria-label={`Used of ${subjects[name] ?? name}`} value={quota - remaining} max={quota} />
              <small>
                {formatCount(quota - remaining)} of {formatCount(quota)} in use
              </small>
            </li>
          ))}
          {limits.length === 0 ? <li className="muted">The response names no limit.</li> : null}
        </ul>
      )}
    </Card>
  )
}

const subjects: Readonly<Record<string, string>> = { tenant: 'the tenant', user: 'each user', key: 'each API key' }

const kinds = { Payments: 'readPaymentUsage', Deliveries: 'readDeliveryUsage', Messages: 'readMessageUsage' } as const

/** The usage of a month: the requests of the tenant, and the rest per business unit. */
function UsageCard({ month }: { month: string }) {
  return (
    <>
      <Card
        title="Requests"
        operation="readAuditUsage"
        queryKey={['usage', 'requests', month]}
        read={(signal) => api.readAuditUsage({ month }, { signal })}
      >
        {({ requests }) => <p className={styles.number}>{formatCount(requests)}</p>}
      </Card>
      {Object.entries(kinds).map(([name, operation]) => (
        <Card
          key={operation}
          title={name}
          operation={operation}
          queryKey={['usage', operation, month]}
          read={(signal) => readResource(operation, { month }, signal)}
        >
          {(usage) => <UnitTable name={name} usage={usage} />}
        </Card>
      ))}
    </>
  )
}

function UnitTable({
  name,
  usage: { total, units },
}: {
  name: string
  usage: PaymentUsage | DeliveryUsage | MessageUsage
}) {
  const known = useItems('listBusinessUnits', 'business-units')
  return (
    <>
      <p className={styles.number}>{formatCount(total)}</p>
      {units.length === 0 ? null : (
        <table className={styles.units} aria-label={`${name} by business unit`}>
          <thead>
            <tr>
              <th scope="col">Business unit</th>
              <th scope="col">{name}</th>
            </tr>
          </thead>
          <tbody>
            {units.map(({ business_unit_id: id, count: number }) => (
              <tr key={id}>
                <th scope="row">{foreign(known.find((unit) => unit.id === id)?.name ?? id)}</th>
                <td>{formatCount(number)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
