import type { OutboxMessage } from '@payments/client/schemas'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { SearchForm } from '../../layout/search-form.tsx'
import { api } from '../../session/api.ts'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { MessageParts } from './rendered-message.tsx'

/** The messages that development stores instead of sending them. */
export function OutboxPage() {
  const { environment } = useSelf()
  const { recipient = '' } = useSearch({ strict: false }) as { recipient?: string }
  const navigate = useNavigate()
  const [open, setOpen] = useState<OutboxMessage>()
  if (environment !== 'dev') {
    return (
      <Page title="Outbox">
        {() => <Notice tone="info">Only development has an outbox. Messages are sent here.</Notice>}
      </Page>
    )
  }
  return (
    <Page
      title="Outbox"
      about="Messages that development stores for a week instead of sending them."
      operation="listOutboxMessages"
      args={recipient === '' ? {} : { recipient }}
    >
      {() => (
        <>
          <SearchForm
            fields={[{ name: 'recipient', label: 'Exact address of the recipient' }]}
            filters={recipient === '' ? {} : { recipient }}
            onChange={(search) => void navigate({ to: '/outbox', search, replace: true })}
          />
          <List
            label="Outbox messages"
            query={outboxQuery(recipient)}
            columns={columnsWith(setOpen)}
            idOf={({ id }) => id}
            empty={<Empty title={recipient === '' ? 'The outbox is empty.' : 'No message matches.'} />}
          />
          {open === undefined ? null : (
            <Dialog title={`To ${foreign(open.recipient)}`} onClose={() => setOpen(undefined)}>
              <p className="muted">
                From {foreign(open.from_name)}
                {open.reply_to === null ? null : `, replies to ${foreign(open.reply_to)}`}
              </p>
              <MessageParts {...open} />
            </Dialog>
          )}
        </>
      )}
    </Page>
  )
}

const outboxQuery = (recipient: string) =>
  listQuery<OutboxMessage>({
    key: ['outbox', recipient],
    read: (cursor, signal) =>
      api
        .listOutboxMessages(
          { limit: 50, ...(recipient === '' ? {} : { recipient }), ...(cursor === undefined ? {} : { cursor }) },
          { signal },
        )
        .page(),
    isLive: true,
  })

const columnsWith = (onOpen: (message: OutboxMessage) => void): readonly Column<OutboxMessage>[] => [
  { name: 'Recipient', cell: ({ recipient }) => foreign(recipient) },
  { name: 'Message', width: 'minmax(0, 2fr)', cell: ({ subject, text }) => foreign(subject ?? text.slice(0, 100)) },
  { name: 'Stored', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: '',
    width: '6rem',
    cell: (message) => (
      <button
        type="button"
        aria-label={`Read the message to ${foreign(message.recipient)}`}
        onClick={() => onOpen(message)}
      >
        Read
      </button>
    ),
  },
]
