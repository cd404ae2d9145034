import type { Transaction } from '@payments/client/schemas'
import { ListPage } from '../../layout/list.tsx'
import type { SearchField } from '../../layout/search-form.tsx'
import { useUnitField } from '../../layout/unit.tsx'
import { TransactionLink } from '../../parts/links.tsx'
import { TransactionState } from '../../parts/states.tsx'
import { Money, Text, Time } from '../../ui/content.tsx'
import { optionsAfter } from '../../ui/fields.tsx'
import type { Column } from '../../ui/table.tsx'
import { PaidWith } from './transaction-details.tsx'

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
      empty="There are no transactions."
      hint={
        <p>
          A transaction appears here as soon as it is created. <a href="/docs">The guides</a> show a first payment with
          the sandbox.
        </p>
      }
      noMatch="No transaction matches."
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

const statuses = optionsAfter('Every status', {
  pending: 'pending',
  failed: 'failed',
  authorized: 'authorized',
  partially_captured: 'partially captured',
  captured: 'captured',
  voided: 'voided',
  partially_refunded: 'partially refunded',
  refunded: 'refunded',
})

const openStates = optionsAfter('Open or not', {
  unknown: 'Outcome unknown',
  needs_review: 'Needs review',
  action_required: 'Payer confirms',
  pending: 'Provider decides later',
  in_progress: 'In progress',
})

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
  { name: 'Reference', cell: ({ external_reference }) => <Text text={external_reference} /> },
  { name: 'Paid with', width: '11rem', cell: (transaction) => <PaidWith transaction={transaction} /> },
  { name: 'Created', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
