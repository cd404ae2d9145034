import type { OutboxMessage } from '@payments/client/schemas'
import { useState } from 'react'
import { ListPage } from '../../layout/list.tsx'
import { Page } from '../../layout/page.tsx'
import { MessageParts } from '../../parts/messages/rendered-message.tsx'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Notice, Time } from '../../ui/content.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Column } from '../../ui/table.tsx'

/** The messages that development stores instead of sending them. */
export function OutboxPage() {
  const { environment } = useSelf()
  const [open, setOpen] = useState<OutboxMessage>()
  if (environment !== 'dev') {
    return (
      <Page title="Outbox">
        {() => <Notice tone="info">Only development has an outbox. Messages are sent here.</Notice>}
      </Page>
    )
  }
  return (
    <ListPage
      title="Outbox"
      label="Outbox messages"
      about="Messages that development stores for a week instead of sending them."
      operation="listOutboxMessages"
      topic="outbox"
      fields={[{ name: 'recipient', label: 'Exact address of the recipient' }]}
      columns={columnsWith(setOpen)}
      empty="The outbox is empty."
      noMatch="No message matches."
      below={open === undefined ? null : <MessageDialog message={open} onClose={() => setOpen(undefined)} />}
    />
  )
}

function MessageDialog({ message, onClose }: { message: OutboxMessage; onClose: () => void }) {
  return (
    <Dialog title={`To ${foreign(message.recipient)}`} onClose={onClose}>
      <p className="muted">
        From {foreign(message.from_name)}
        {message.reply_to === null ? null : `, replies to ${foreign(message.reply_to)}`}
      </p>
      <MessageParts {...message} />
    </Dialog>
  )
}

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
