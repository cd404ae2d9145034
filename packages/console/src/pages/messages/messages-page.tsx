import type { Communication } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { type Filters, filtersIn, type SearchField, SearchForm } from '../../layout/search-form.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { channelNames } from './channels.ts'
import { MessageState } from './message-state.tsx'
import { useTemplateName } from './templates.ts'

/** The messages to payers, newest first. */
export function MessagesPage() {
  const filters = filtersIn(fields, useSearch({ strict: false }))
  const navigate = useNavigate()
  return (
    <Page
      title="Sent messages"
      about="Invitations, reminders, receipts, and messages of your own to payers."
      operation="listCommunications"
      args={filters}
    >
      {() => (
        <>
          <SearchForm
            fields={fields}
            filters={filters}
            onChange={(search) => void navigate({ to: '/messages', search, replace: true })}
          />
          <List
            label="Messages"
            query={messagesQuery(filters)}
            columns={columns}
            idOf={({ id }) => id}
            empty={
              <Empty title={Object.keys(filters).length === 0 ? 'No message was sent yet.' : 'No message matches.'}>
                <p>A message appears here as soon as it is requested, and shows whether its provider accepted it.</p>
              </Empty>
            }
          />
        </>
      )}
    </Page>
  )
}

type Query = NonNullable<Parameters<typeof api.listCommunications>[0]>

const messagesQuery = (filters: Filters) =>
  listQuery<Communication>({
    key: ['communications', 'list', filters],
    read: (cursor, signal) => {
      // The API checks the values, which come from the URL.
      const query = { ...filters, limit: 50, ...(cursor === undefined ? {} : { cursor }) } as Query
      return api.listCommunications(query, { signal }).page()
    },
    isLive: true,
  })

const statuses = [
  { value: '', label: 'Every status' },
  { value: 'queued', label: 'Queued' },
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
]

const fields: readonly SearchField[] = [
  { name: 'recipient', label: 'Exact address of the recipient' },
  { name: 'status', label: 'Status', options: statuses },
  { name: 'template_id' },
  { name: 'business_unit_id' },
]

const columns: readonly Column<Communication>[] = [
  {
    name: 'Recipient',
    width: 'minmax(0, 2fr)',
    cell: ({ id, recipient }) => (
      <Link to="/messages/$communicationId" params={{ communicationId: id }}>
        {foreign(recipient)}
      </Link>
    ),
  },
  { name: 'Template', cell: ({ template_id }) => <TemplateName templateId={template_id} /> },
  { name: 'Channel', width: '6rem', cell: ({ communication_type }) => channelNames[communication_type] },
  {
    name: 'Status',
    cell: ({ status, error }) => (
      <>
        <MessageState status={status} />
        {error === null ? null : <small> {foreign(error.detail)}</small>}
      </>
    ),
  },
  { name: 'Requested', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
]

function TemplateName({ templateId }: { templateId: string | null }) {
  const nameOf = useTemplateName()
  if (templateId === null) return <span className="muted">none</span>
  return foreign(nameOf(templateId) ?? templateId)
}
