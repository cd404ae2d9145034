import type { Communication } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import styles from '../../layout/filters.module.css'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Select } from '../../ui/select.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { channelNames } from './channels.ts'
import { MessageState } from './message-state.tsx'

type Filters = Readonly<Record<string, string>>

const names = ['status', 'recipient', 'template_id', 'business_unit_id'] as const

/** The filters of the list that a URL has; others are ignored. */
const filtersOf = (search: Readonly<Record<string, string | undefined>>): Filters =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))

/** The messages to payers, newest first. */
export function MessagesPage() {
  const filters = filtersOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (part: Record<string, string>) =>
    void navigate({ to: '/messages', search: { ...filters, ...part }, replace: true })
  return (
    <Page
      title="Sent messages"
      about="Invitations, reminders, receipts, and messages of your own to payers."
      operation="listCommunications"
      args={filters}
    >
      {() => (
        <>
          <MessageFilters filters={filters} onChange={change} />
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

function MessageFilters({ filters, onChange }: { filters: Filters; onChange: (part: Record<string, string>) => void }) {
  const [recipient, setRecipient] = useState(filters['recipient'] ?? '')
  const others = Object.entries(filters).filter(([name]) => name !== 'status' && name !== 'recipient')
  const search = () => onChange({ recipient: recipient.trim() })
  return (
    <>
      <form
        className={styles.filters}
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          search()
        }}
      >
        <input
          type="search"
          aria-label="Whole address of the recipient"
          placeholder="Whole address"
          value={recipient}
          onChange={({ target }) => setRecipient(target.value)}
          onBlur={search}
        />
        <Select
          aria-label="Status"
          value={filters['status'] ?? ''}
          options={statuses}
          onChange={(status) => onChange({ status })}
        />
      </form>
      {others.length === 0 ? null : (
        <div className="row">
          {others.map(([name, value]) => (
            <button key={name} type="button" onClick={() => onChange({ [name]: '' })}>
              {name} <code>{value}</code> ✕<span className="visually-hidden">remove</span>
            </button>
          ))}
        </div>
      )}
    </>
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
  { name: 'Channel', width: '6rem', cell: ({ communication_type }) => channelNames[communication_type] },
  { name: 'Status', width: '7rem', cell: ({ status }) => <MessageState status={status} /> },
  { name: 'Failure', cell: ({ error }) => (error === null ? null : <small>{foreign(error.detail)}</small>) },
  { name: 'Requested', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
