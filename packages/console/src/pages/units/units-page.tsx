import type { BusinessUnit } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import styles from '../../layout/filters.module.css'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Select } from '../../ui/select.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { UnitDialog } from './unit-dialog.tsx'

/** The business units of the tenant. */
export function UnitsPage() {
  const { status = 'active' }: { status?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Business units"
      about="Parts of the tenant that take payments, each with its payment orchestrators."
      operation="listBusinessUnits"
      args={{ status }}
      actions={
        <ActionButton operation="createBusinessUnit" kind="primary" onClick={() => setCreating(true)}>
          Create business unit
        </ActionButton>
      }
    >
      {() => (
        <>
          <div className={styles.filters}>
            <Select
              aria-label="Status"
              value={status}
              options={[
                { value: 'active', label: 'Active' },
                { value: 'deleted', label: 'Deleted' },
              ]}
              onChange={(chosen) => void navigate({ to: '/units', search: { status: chosen }, replace: true })}
            />
          </div>
          <List
            label="Business units"
            query={unitsQuery(status)}
            columns={columns}
            idOf={({ id }) => id}
            empty={
              <Empty title={status === 'deleted' ? 'No business unit was deleted.' : 'There is no business unit.'}>
                {status === 'deleted' ? null : <p>Create one, and connect it to a payment provider.</p>}
              </Empty>
            }
          />
          {isCreating ? <UnitDialog onClose={() => setCreating(false)} /> : null}
        </>
      )}
    </Page>
  )
}

const unitsQuery = (status: string) =>
  listQuery<BusinessUnit>({
    key: ['business-units', 'list', status],
    read: (cursor, signal) => {
      const page = { limit: 50, ...(cursor === undefined ? {} : { cursor }) }
      // The API checks the status, which comes from the URL.
      return api.listBusinessUnits({ status: status as BusinessUnit['status'], ...page }, { signal }).page()
    },
  })

const columns: readonly Column<BusinessUnit>[] = [
  {
    name: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, name }) => (
      <Link to="/units/$unitId" params={{ unitId: id }}>
        {foreign(name)}
      </Link>
    ),
  },
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
