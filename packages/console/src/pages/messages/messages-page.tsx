import type { Communication } from '@payments/client/schemas'
import { ListPage } from '../../layout/list.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { MessageLink } from '../../parts/links.tsx'
import { channelNames, useTemplateName } from '../../parts/messages/templates.ts'
import { MessageState } from '../../parts/states.tsx'
import { foreign } from '../../text/format.ts'
import { Time } from '../../ui/content.tsx'
import { optionsAfter } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'

/** The messages to payers, newest first. */
export function MessagesPage() {
  const explanation = (
    <p>A message appears here as soon as it is requested, and shows whether its provider accepted it.</p>
  )
  return (
    <ListPage
      title="Sent messages"
      label="Messages"
      about="Invitations, reminders, receipts, and messages of your own to payers."
      operation="listCommunications"
      topic="communications"
      fields={fields}
      columns={columns}
      empty="No message was sent yet."
      hint={explanation}
      noMatch="No message matches."
      noMatchHint={explanation}
    />
  )
}

const statuses = optionsAfter('Every status', { queued: 'Queued', sent: 'Sent', failed: 'Failed' })

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
    cell: ({ id, recipient }) => <MessageLink id={id}>{foreign(recipient)}</MessageLink>,
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
  const templateName = useTemplateName()
  if (templateId === null) return <span className="muted">none</span>
  return foreign(templateName(templateId) ?? templateId)
}
