import type { SandboxOperation } from '@payments/client/schemas'
import { ListSection } from '../../layout/list.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { TransactionState } from '../../parts/states.tsx'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { formatMoney } from '../../text/money.ts'
import { Money, State, Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { Amounts } from './amounts.tsx'
import { Operations } from './operations.tsx'
import { TimeLine } from './time-line.tsx'
import { TransactionActions } from './transaction-actions.tsx'
import { TransactionDetails } from './transaction-details.tsx'

/** One transaction: its amounts, its operations, and everything that its requests caused. */
export function TransactionPage() {
  const { environment } = useSelf()
  return (
    <ResourcePage
      noun="Transaction"
      topic="transactions"
      operation="readTransaction"
      title={({ amount, currency }) => formatMoney(amount, currency)}
      isAmount
      about={(data) => (data?.external_reference == null ? undefined : `Reference ${foreign(data.external_reference)}`)}
      isChanging={({ pending_operation }) => pending_operation !== null}
      actions={(transaction) => <TransactionActions transaction={transaction} />}
    >
      {(transaction) => (
        <>
          <section className="card stack" aria-label="Amounts">
            <div aria-live="polite">
              <TransactionState transaction={transaction} />
            </div>
            <Amounts transaction={transaction} />
          </section>
          <TransactionDetails transaction={transaction} />
          <Operations transaction={transaction} />
          <TimeLine transaction={transaction} />
          {environment === 'dev' ? (
            <ListSection
              // Read again with each change of the transaction.
              key={transaction.version}
              title="Ledger of the sandbox"
              operation="listSandboxOperations"
              topic="sandbox-ledger"
              args={{ transaction_id: transaction.id }}
              columns={columns}
              empty={<p className="muted">The sandbox received no operation of this transaction.</p>}
            />
          ) : null}
        </>
      )}
    </ResourcePage>
  )
}

/** The ledger of the sandbox: the view of the payment provider. */
const columns: readonly Column<SandboxOperation>[] = [
  { name: 'Operation', width: '8rem', cell: ({ type }) => type },
  { name: 'State', cell: ({ state }) => <State state={state} /> },
  { name: 'Amount', width: '9rem', isNumber: true, cell: (entry) => <Money {...entry} /> },
  {
    name: 'Released',
    width: '9rem',
    isNumber: true,
    cell: ({ amount_released, currency }) => <Money amount={amount_released} currency={currency} />,
  },
  { name: 'Received', width: '9rem', cell: ({ received_at }) => <Time at={received_at} /> },
]
