import type { BusinessUnit } from '@payments/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import styles from '../../layout/filters.module.css'
import { ListPage } from '../../layout/list-page.tsx'
import { Empty } from '../../layout/page.tsx'
import { UnitLink } from '../../parts/links.tsx'
import { foreign } from '../../text/foreign.ts'
import { Select } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { UnitDialog } from './unit-dialog.tsx'

/** The business units of the tenant. */
export function UnitsPage() {
  const { status = 'active' }: { status?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  return (
    <ListPage
      title="Business units"
      about="Parts of the tenant that take payments, each with its payment orchestrators."
      operation="listBusinessUnits"
      topic="business-units"
      args={{ status }}
      columns={columns}
      empty={
        status === 'deleted' ? (
          <Empty title="No business unit was deleted." />
        ) : (
          <Empty title="There is no business unit.">
            <p>Create one, and connect it to a payment provider.</p>
          </Empty>
        )
      }
      action={{
        operation: 'createBusinessUnit',
        label: 'Create business unit',
        kind: 'primary',
        dialog: (close) => <UnitDialog onClose={close} />,
      }}
      above={
        <div className={styles.filters}>
          <Select
            aria-label="Status"
            value={status}
            options={statuses}
            onChange={(chosen) => void navigate({ to: '/units', search: { status: chosen }, replace: true })}
          />
        </div>
      }
    />
  )
}

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'deleted', label: 'Deleted' },
]

const columns: readonly Column<BusinessUnit>[] = [
  { name: 'Name', width: 'minmax(0, 2fr)', cell: ({ id, name }) => <UnitLink id={id}>{foreign(name)}</UnitLink> },
  {
    name: 'Display name',
    cell: ({ branding }) =>
      branding.display_name === null ? <span className="muted">the same</span> : foreign(branding.display_name),
  },
  {
    name: 'Default currency',
    width: '9rem',
    cell: ({ default_currency: currency }) => currency ?? <span className="muted">none</span>,
  },
  { name: 'Time zone', cell: ({ timezone_name: zone }) => foreign(zone) },
  { name: 'Created', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
