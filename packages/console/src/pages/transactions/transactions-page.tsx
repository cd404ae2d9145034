import type { Transaction } from '@payments/client/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Money } from '../../ui/money.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { TransactionFilters, type TransactionFilterValues, transactionFilters } from './transaction-filters.tsx'
import { PaidWith, TransactionState } from './transaction-state.tsx'

/** The transactions of the tenant, newest first. */
export function TransactionsPage() {
  const filters = transactionFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  return (
    <Page
      title="Transactions"
      about="Payments with their operations at payment providers, newest first."
      operation="listTransactions"
      args={filters}
    >
      {() => (
        <>
          <TransactionFilters
            filters={filters}
            onChange={(search) => void navigate({ to: '/transactions', search, replace: true })}
          />
          <List
            label="Transactions"
            query={transactionsQuery(filters)}
            columns={columns}
            idOf={({ id }) => id}
            empty={
              Object.keys(filters).length > 0 ? (
                <Empty title="No transaction matches." />
              ) : (
                <Empty title="There are no transactions.">
                  <p>
                    A transaction appears here as soon as it is created. <a href="/docs">The guides</a> show a first
                    payment with the sandbox.
                  </p>
                </Empty>
              )
            }
          />
        </>
      )}
    </Page>
  )
}

type Query = NonNullable<Parameters<typeof api.listTransactions>[0]>

const transactionsQuery = (filters: TransactionFilterValues) =>
  listQuery<Transaction>({
    key: ['transactions', filters],
    read: (cursor, signal) => {
      // The API checks the values, which come from the URL.
      const query = { ...filters, limit: 50, ...(cursor === undefined ? {} : { cursor }) } as Query
      return api.listTransactions(query, { signal }).page()
    },
    isLive: true,
  })

const columns: readonly Column<Transaction>[] = [
  {
    name: 'Amount',
    width: '9rem',
    isNumber: true,
    cell: ({ id, amount, currency }) => (
      <Link to="/transactions/$transactionId" params={{ transactionId: id }}>
        <Money amount={amount} currency={currency} />
      </Link>
    ),
  },
  { name: 'Status', cell: (transaction) => <TransactionState transaction={transaction} /> },
  {
    name: 'Reference',
    cell: ({ external_reference: reference }) =>
      reference === null ? <span className="muted">none</span> : foreign(reference),
  },
  {
    name: 'Paid with',
    width: '11rem',
    cell: (transaction) => <PaidWith transaction={transaction} />,
  },
  { name: 'Created', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
]
