import type { Transaction } from '@payments/client/schemas'
import { ListPage } from '../../layout/list-page.tsx'
import { Empty } from '../../layout/page.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { TransactionLink } from '../../parts/links.tsx'
import { TransactionState } from '../../parts/states.tsx'
import { foreign } from '../../text/foreign.ts'
import { Money } from '../../ui/money.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { PaidWith } from './paid-with.tsx'

/** The transactions of the tenant, newest first. */
export function TransactionsPage() {
  return (
    <ListPage
      title="Transactions"
      about="Payments with their operations at payment providers, newest first."
      operation="listTransactions"
      topic="transactions"
      fields={useFields()}
      columns={columns}
      empty={
        <Empty title="There are no transactions.">
          <p>
            A transaction appears here as soon as it is created. <a href="/docs">The guides</a> show a first payment
            with the sandbox.
          </p>
        </Empty>
      }
      noMatch={<Empty title="No transaction matches." />}
    />
  )
}

const useFields = (): readonly SearchField[] => [
  { name: 'search', label: 'Reference or id' },
  { name: 'status', label: 'Status', options: statuses },
  { name: 'pending_state', label: 'Open operation', options: openStates },
  useUnitField(),
  { name: 'created_after', label: 'From', isInstant: true },
  { name: 'created_before', label: 'Until', isInstant: true },
]

const statuses = [
  { value: '', label: 'Every status' },
  ...[
    'pending',
    'failed',
    'authorized',
    'partially_captured',
    'captured',
    'voided',
    'partially_refunded',
    'refunded',
  ].map((value) => ({ value, label: value.replaceAll('_', ' ') })),
]

const openStates = [
  { value: '', label: 'Open or not' },
  { value: 'unknown', label: 'Outcome unknown' },
  { value: 'needs_review', label: 'Needs review' },
  { value: 'action_required', label: 'Payer confirms' },
  { value: 'pending', label: 'Provider decides later' },
  { value: 'in_progress', label: 'In progress' },
]

const columns: readonly Column<Transaction>[] = [
  {
    name: 'Amount',
    width: '9rem',
    isNumber: true,
    cell: ({ id, amount, currency }) => (
      <TransactionLink id={id}>
        <Money amount={amount} currency={currency} />
      </TransactionLink>
    ),
  },
  { name: 'Status', cell: (transaction) => <TransactionState transaction={transaction} /> },
  {
    name: 'Reference',
    cell: ({ external_reference: reference }) =>
      reference === null ? <span className="muted">none</span> : foreign(reference),
  },
  { name: 'Paid with', width: '11rem', cell: (transaction) => <PaidWith transaction={transaction} /> },
  { name: 'Created', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
