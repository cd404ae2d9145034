import type { Code } from '@payments/client/schemas'
import { Link, useNavigate } from '@tanstack/react-router'
import { ListPage } from '../../layout/list-page.tsx'
import { Empty } from '../../layout/page.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { InvitationLink } from '../../parts/links.tsx'
import { foreign } from '../../text/foreign.ts'
import { Money } from '../../ui/money.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { InvitationState, isOpen } from './invitation-state.tsx'

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
      empty={
        <Empty title="No payer is invited yet.">
          <p>Invite a payer with an amount and an address. You see here when the payment is complete.</p>
        </Empty>
      }
      noMatch={
        <Empty title="No invitation matches.">
          <Link to="/invitations">Show all invitations</Link>
        </Empty>
      }
      action={{
        operation: 'createCode',
        label: 'Invite to pay',
        kind: 'primary',
        onSelect: () => void navigate({ to: '/invitations/new' }),
      }}
    />
  )
}

const statuses = [
  { value: '', label: 'Every status' },
  { value: 'active', label: 'Active' },
  { value: 'processing', label: 'Payment in progress' },
  { value: 'completed', label: 'Completed' },
  { value: 'expired', label: 'Expired' },
  { value: 'canceled', label: 'Canceled' },
]

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
