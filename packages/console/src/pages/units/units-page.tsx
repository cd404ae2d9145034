import type { BusinessUnit } from '@payments/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { offerDialog } from '../../layout/actions.tsx'
import styles from '../../layout/filters.module.css'
import { ListPage } from '../../layout/list.tsx'
import { UnitLink } from '../../parts/links.tsx'
import { foreign } from '../../text/format.ts'
import { Text, Time } from '../../ui/content.tsx'
import { Select, toOptions } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'
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
      empty={status === 'deleted' ? 'No business unit was deleted.' : 'There is no business unit.'}
      hint={status === 'deleted' ? null : <p>Create one, and connect it to a payment provider.</p>}
      action={offerDialog('createBusinessUnit', 'Create business unit', (close) => <UnitDialog onClose={close} />, {
        kind: 'primary',
      })}
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

const statuses = toOptions({ active: 'Active', deleted: 'Deleted' })

const columns: readonly Column<BusinessUnit>[] = [
  { name: 'Name', width: 'minmax(0, 2fr)', cell: ({ id, name }) => <UnitLink id={id}>{foreign(name)}</UnitLink> },
  { name: 'Display name', cell: ({ branding }) => <Text text={branding.display_name} none="the same" /> },
  { name: 'Default currency', width: '9rem', cell: ({ default_currency }) => <Text text={default_currency} /> },
  { name: 'Time zone', cell: ({ timezone_name: zone }) => foreign(zone) },
  { name: 'Created', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
