import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../layout/page.tsx'
import { useSelf } from '../../session/self.ts'
import { foreign, monthName, monthsBack } from '../../text/format.ts'
import { Select } from '../../ui/fields.tsx'
import { Facts, Section } from '../../ui/section.tsx'
import { Badge, CopyField, Time } from '../../ui/values.tsx'
import { LimitsCard } from './limits-card.tsx'
import styles from './plan.module.css'
import { UsageCard } from './usage-card.tsx'

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
