import type { Template } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { type Filters, filtersIn, type SearchField, SearchForm } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { channelNames, channelOptions } from './channels.ts'
import { TemplateDialog } from './template-dialog.tsx'
import { UnitName } from './unit-name.tsx'

/** The templates of messages: those of the tenant, and the built-in ones. */
export function TemplatesPage() {
  const filters = filtersIn([{ name: 'business_unit_id' }, ...fields], useSearch({ strict: false }))
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Templates"
      about="Texts with variables for the messages to payers."
      operation="listTemplates"
      args={filters}
      actions={
        <ActionButton operation="createTemplate" kind="primary" onClick={() => setCreating(true)}>
          Create template
        </ActionButton>
      }
    >
      {() => (
        <>
          <TemplateFilters filters={filters} />
          <List
            label="Templates"
            query={templatesQuery(filters)}
            columns={columns}
            idOf={({ id }) => id}
            empty={
              <Empty title="No template matches.">
                <p>A template of your own replaces the built-in text of an invitation.</p>
              </Empty>
            }
          />
          {isCreating ? <TemplateDialog onClose={() => setCreating(false)} /> : null}
        </>
      )}
    </Page>
  )
}

function TemplateFilters({ filters }: { filters: Filters }) {
  const navigate = useNavigate()
  const unit = useUnitField()
  return (
    <SearchForm
      fields={[unit, ...fields]}
      filters={filters}
      onChange={(search) => void navigate({ to: '/templates', search, replace: true })}
    />
  )
}

const fields: readonly SearchField[] = [
  {
    name: 'communication_type',
    label: 'Channel',
    options: [{ value: '', label: 'Every channel' }, ...channelOptions],
  },
  {
    name: 'locale',
    label: 'Language',
  },
  {
    name: 'kind',
    label: 'Kind',
    options: [
      { value: '', label: 'Every kind' },
      { value: 'custom', label: 'Custom' },
      { value: 'built_in', label: 'Built-in' },
    ],
  },
]

type Query = NonNullable<Parameters<typeof api.listTemplates>[0]>

const templatesQuery = (filters: Filters) =>
  listQuery<Template>({
    key: ['templates', 'list', filters],
    read: (cursor, signal) => {
      // The API checks the values, which come from the URL.
      const query = { ...filters, limit: 50, ...(cursor === undefined ? {} : { cursor }) } as Query
      return api.listTemplates(query, { signal }).page()
    },
  })

const columns: readonly Column<Template>[] = [
  {
    name: 'Name',
    width: 'minmax(0, 2fr)',
    cell: ({ id, name }) => (
      <Link to="/templates/$templateId" params={{ templateId: id }}>
        {foreign(name)}
      </Link>
    ),
  },
  { name: 'Channel', width: '6rem', cell: ({ communication_type }) => channelNames[communication_type] },
  {
    name: 'Kind',
    width: '7rem',
    cell: ({ kind }) => <span className="badge">{kind.replace('_', '-')}</span>,
  },
  {
    name: 'Language',
    width: '6rem',
    cell: ({ locale }) => locale ?? <span className="muted">any</span>,
  },
  { name: 'Business unit', cell: ({ business_unit_id }) => <UnitName unitId={business_unit_id} /> },
  { name: 'Version', width: '5rem', cell: ({ version }) => version },
  {
    name: 'Changed',
    width: '9rem',
    cell: ({ kind, updated_at }) => (kind === 'custom' ? <Time at={updated_at} /> : null),
  },
]
