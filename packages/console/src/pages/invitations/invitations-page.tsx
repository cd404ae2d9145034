import type { Code } from '@payments/client/schemas'
import { Link, useNavigate } from '@tanstack/react-router'
import { ListPage } from '../../layout/list.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { InvitationLink } from '../../parts/links.tsx'
import { InvitationState, isOpen } from '../../parts/states.tsx'
import { foreign } from '../../text/format.ts'
import { Money, Time } from '../../ui/content.tsx'
import { optionsAfter } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'

/** The invitations to pay of the tenant, newest first. */
export function InvitationsPage() {
  const navigate = useNavigate()
  return (
    <ListPage
      title="Invitations to pay"
      about="A payer gets a link by email or SMS, and pays on its page."
      operation="listCodes"
      topic="invitations"
      fields={fields}
      columns={columns}
      empty="No payer is invited yet."
      hint={<p>Invite a payer with an amount and an address. You see here when the payment is complete.</p>}
      noMatch="No invitation matches."
      noMatchHint={<Link to="/invitations">Show all invitations</Link>}
      action={{
        operation: 'createCode',
        label: 'Invite to pay',
        kind: 'primary',
        onSelect: () => void navigate({ to: '/invitations/new' }),
      }}
    />
  )
}

const statuses = optionsAfter('Every status', {
  active: 'Active',
  processing: 'Payment in progress',
  completed: 'Completed',
  expired: 'Expired',
  canceled: 'Canceled',
})

const fields: readonly SearchField[] = [
  { name: 'recipient', label: 'Exact address of the payer' },
  { name: 'status', label: 'Status', options: statuses },
  { name: 'business_unit_id' },
  { name: 'transaction_id' },
]

const columns: readonly Column<Code>[] = [
  {
    name: 'Payer',
    width: 'minmax(0, 2fr)',
    cell: ({ id, recipient, communication_details: { payer_name: name } }) => (
      <>
        <InvitationLink id={id}>{foreign(recipient)}</InvitationLink>
        {name === undefined ? null : <small> {foreign(name)}</small>}
      </>
    ),
  },
  { name: 'Amount', width: '9rem', isNumber: true, cell: (code) => <Money {...code} /> },
  { name: 'Status', width: '8rem', cell: ({ status }) => <InvitationState status={status} /> },
  { name: 'Sent', width: '9rem', cell: ({ last_sent_at }) => <Time at={last_sent_at} fallback="not yet" /> },
  {
    name: 'Expires',
    width: '9rem',
    cell: ({ status, expires_at }) => (isOpen(status) ? <Time at={expires_at} /> : null),
  },
]
