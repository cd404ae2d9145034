import type { Transaction } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { TransactionLink } from '../../parts/links.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/format.ts'
import { Badge, Time } from '../../ui/values.tsx'

/** Those that need a person first. */
const states = ['needs_review', 'unknown', 'pending', 'action_required', 'in_progress'] as const
const shownMax = 5
const refetchMs = 30_000

/** The newest transactions with an operation without an outcome, and a link to the list of each state. */
export function OpenOperationsCard() {
  return (
    <Card
      title="Payments without an outcome"
      operation="listTransactions"
      queryKey={['transactions', 'open']}
      read={async (signal) => {
        const open: Transaction[] = []
        // One after the other: a browser has six connections, which the other cards need too.
        for (const pending_state of states) {
          open.push(...(await api.listTransactions({ pending_state, limit: shownMax }, { signal }).page()).data)
        }
        return open
      }}
      refetchMs={refetchMs}
    >
      {(open) =>
        open.length === 0 ? (
          <p className="muted">The outcome of each operation is known.</p>
        ) : (
          <>
            <ul className="stack">
              {open.slice(0, shownMax).map(({ id, external_reference, pending_operation, created_at }) => (
                <li key={id} className="row">
                  <Badge tone="warning">
                    {pending_operation?.type} {pending_operation?.state.replaceAll('_', ' ')}
                  </Badge>
                  <TransactionLink id={id}>{foreign(external_reference ?? id)}</TransactionLink>
                  <small>
                    <Time at={created_at} />
                  </small>
                </li>
              ))}
            </ul>
            <p className="row">
              {openStates(open).map((state) => (
                <Link key={state} to="/transactions" search={{ pending_state: state }}>
                  All {state.replaceAll('_', ' ')}
                </Link>
              ))}
            </p>
          </>
        )
      }
    </Card>
  )
}

const openStates = (open: readonly Transaction[]) =>
  states.filter((state) => open.some(({ pending_operation: pending }) => pending?.state === state))
