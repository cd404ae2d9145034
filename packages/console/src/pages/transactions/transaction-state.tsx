import type { Transaction } from '@payments/client/schemas'
import { foreign } from '../../text/foreign.ts'

const tones: Readonly<Record<string, 'good' | 'bad' | 'warning' | undefined>> = {
  pending: 'warning',
  failed: 'bad',
  authorized: 'good',
  partially_captured: 'good',
  captured: 'good',
}

const operationTones: Readonly<Record<string, 'good' | 'bad' | 'warning' | undefined>> = {
  succeeded: 'good',
  declined: 'bad',
  reversed: 'bad',
  action_required: 'warning',
  pending: 'warning',
  in_progress: 'warning',
  unknown: 'warning',
  needs_review: 'bad',
}

/** The status of a transaction, and the state of its open operation. */
export function TransactionState({ transaction }: { transaction: Pick<Transaction, 'status' | 'pending_operation'> }) {
  const { status, pending_operation: open } = transaction
  return (
    <span className="row">
      <span className="badge" data-tone={tones[status]}>
        {status.replaceAll('_', ' ')}
      </span>
      {open === null ? null : (
        <span className="row">
          <small>{open.type}</small> <OperationState state={open.state} />
        </span>
      )}
    </span>
  )
}

export function OperationState({ state }: { state: string }) {
  return (
    <span className="badge" data-tone={operationTones[state]}>
      {state.replaceAll('_', ' ')}
    </span>
  )
}

interface PaidWithProps {
  readonly transaction: Pick<Transaction, 'payment_method' | 'status' | 'last_error'>
}

/** The card as people know it, `visa •••• 4242`, or why there is none. */
export function PaidWith({ transaction: { payment_method: method, status, last_error: failure } }: PaidWithProps) {
  if (method !== null) return foreign(`${method.brand} •••• ${method.last4}`)
  const failed = failure?.code === 'payment_declined' ? 'nothing: declined' : 'nothing: failed'
  return <span className="muted">{status === 'failed' ? failed : 'nothing yet'}</span>
}
