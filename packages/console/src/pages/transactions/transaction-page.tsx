import type { Transaction } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { usePermitted, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { formatMoney } from '../../text/money.ts'
import { Amounts } from './amounts.tsx'
import { Facts } from './facts.tsx'
import { Operations } from './operations.tsx'
import { SandboxLedger } from './sandbox-ledger.tsx'
import { TimeLine } from './time-line.tsx'
import { TransactionActions } from './transaction-actions.tsx'
import { TransactionState } from './transaction-state.tsx'

const pollMs = 5_000

/** One transaction: its amounts, its operations, and everything that its requests caused. */
export function TransactionPage() {
  const { transactionId = '' } = useParams({ strict: false })
  const args = { transaction_id: transactionId }
  const query = useQuery({
    queryKey: ['transactions', transactionId],
    queryFn: ({ signal }) => api.readTransaction(args, { signal }),
    refetchInterval: ({ state }) => (state.data?.pending_operation == null ? false : pollMs),
    enabled: usePermitted('readTransaction'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Transaction' : formatMoney(data.amount, data.currency)}
      isAmount={data !== undefined}
      about={data?.external_reference == null ? undefined : `Reference ${foreign(data.external_reference)}`}
      operation="readTransaction"
      args={args}
      actions={data === undefined ? null : <TransactionActions transaction={data} />}
    >
      {() => <Loaded query={query}>{(data) => <Details transaction={data} />}</Loaded>}
    </Page>
  )
}

function Details({ transaction }: { transaction: Transaction }) {
  const { environment } = useSelf()
  return (
    <>
      <section className="card stack" aria-label="Amounts">
        <div aria-live="polite">
          <TransactionState transaction={transaction} />
        </div>
        <Amounts transaction={transaction} />
      </section>
      <section className="card" aria-label="Details">
        <Facts transaction={transaction} />
      </section>
      <Operations transaction={transaction} />
      <TimeLine transaction={transaction} />
      {environment === 'dev' ? <SandboxLedger transaction={transaction} /> : null}
    </>
  )
}
