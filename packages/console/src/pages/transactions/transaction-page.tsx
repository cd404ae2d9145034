import type { Transaction } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Failed, Loading, Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { usePermitted, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { formatMoney } from '../../text/money.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Time } from '../../ui/time.tsx'
import { Amounts } from './amounts.tsx'
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
  const { data, error, refetch } = useQuery({
    queryKey: ['transactions', transactionId],
    queryFn: ({ signal }) => api.readTransaction(args, { signal }),
    refetchInterval: ({ state }) => (state.data?.pending_operation == null ? false : pollMs),
    enabled: usePermitted('readTransaction'),
  })
  return (
    <Page
      title={data === undefined ? 'Transaction' : formatMoney(data.amount, data.currency)}
      about={data?.external_reference == null ? 'Transaction' : `Transaction ${foreign(data.external_reference)}`}
      operation="readTransaction"
      args={args}
      actions={data === undefined ? null : <TransactionActions transaction={data} />}
    >
      {() => {
        if (data === undefined)
          return error === null ? <Loading /> : <Failed error={error} onRetry={() => void refetch()} />
        return (
          <>
            {error === null ? null : <Failed error={error} onRetry={() => void refetch()} />}
            <Details transaction={data} />
          </>
        )
      }}
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

function Facts({ transaction }: { transaction: Transaction }) {
  const { payment_method: method, last_error: failure, authorization_expires_at: expiresAt } = transaction
  return (
    <dl className="facts">
      <dt>Paid with</dt>
      <dd>
        {method === null ? <span className="muted">nothing yet</span> : foreign(`${method.brand} ${method.last4}`)}
      </dd>
      {failure === null ? null : (
        <>
          <dt>Latest failure</dt>
          <dd>
            <code>{foreign(failure.decline_code ?? failure.code)}</code>
          </dd>
        </>
      )}
      {expiresAt === null ? null : (
        <>
          <dt>Authorization ends</dt>
          <dd>
            <Time at={expiresAt} />
          </dd>
        </>
      )}
      {transaction.transaction_items.length === 0 ? null : (
        <>
          <dt>Items</dt>
          <dd>
            <ul>
              {transaction.transaction_items.map(({ id, name, quantity, unit_amount }, index) => (
                <li key={id ?? index}>
                  {quantity} × {foreign(name)} <small>{formatMoney(unit_amount, transaction.currency)} each</small>
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd>
        <Time at={transaction.created_at} />
      </dd>
      <dt>Id</dt>
      <dd>
        <CopyField label="the id" value={transaction.id} />
      </dd>
    </dl>
  )
}
