import { Card } from '../../layout/card.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Time } from '../../ui/time.tsx'

/** The newest transactions that the card looks at. */
const transactionsMax = 100
const shownMax = 5
const refetchMs = 30_000

/** Transactions with an operation whose outcome the provider has not reported. */
export function OpenOperationsCard() {
  return (
    <Card
      title="Payments without an outcome"
      operations={['listTransactions']}
      queryKey={['transactions', 'open']}
      read={async (signal) => {
        const { data } = await api.listTransactions({ limit: transactionsMax }, { signal }).page()
        return data.filter(({ pending_operation }) => pending_operation !== null)
      }}
      refetchMs={refetchMs}
    >
      {(open) =>
        open.length === 0 ? (
          <p className="muted">Of the newest {transactionsMax} transactions, each has an outcome.</p>
        ) : (
          <ul className="stack">
            {open.slice(0, shownMax).map(({ id, pending_operation, created_at }) => (
              <li key={id} className="row">
                <span className="badge" data-tone="warning">
                  {pending_operation?.type} {pending_operation?.state}
                </span>
                <code>{foreign(id)}</code>
                <small>
                  <Time at={created_at} />
                </small>
              </li>
            ))}
          </ul>
        )
      }
    </Card>
  )
}
