import type { Transaction } from '@payments/client/schemas'
import { foreign } from '../../text/foreign.ts'

interface PaidWithProps {
  readonly transaction: Pick<Transaction, 'payment_method' | 'status' | 'last_error'>
}

/** The card as people know it, `visa •••• 4242`, or why there is none. */
export function PaidWith({ transaction: { payment_method: method, status, last_error: failure } }: PaidWithProps) {
  if (method !== null) return foreign(`${method.brand} •••• ${method.last4}`)
  const failed = failure?.code === 'payment_declined' ? 'nothing: declined' : 'nothing: failed'
  return <span className="muted">{status === 'failed' ? failed : 'nothing yet'}</span>
}
