import { ResourcePage } from '../../layout/resource-page.tsx'
import { TransactionState } from '../../parts/states.tsx'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { formatMoney } from '../../text/money.ts'
import { Amounts } from './amounts.tsx'
import { Operations } from './operations.tsx'
import { SandboxLedger } from './sandbox-ledger.tsx'
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
          {environment === 'dev' ? <SandboxLedger transaction={transaction} /> : null}
        </>
      )}
    </ResourcePage>
  )
}
