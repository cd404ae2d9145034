import type { ApiKey, AuditRecord, Transaction, WebhookSubscriptionHealth } from '@payments/client/schemas'
import { relative } from '../text/format.ts'
import { Badge, State, type Tones } from '../ui/content.tsx'

/** A component that shows a status of the API in these tones. */
const stateIn =
  (tones: Tones) =>
  ({ status }: { status: string }) => <State state={status} tones={tones} />

export const DeliveryState = stateIn({ delivered: 'good', retrying: 'warning', held: 'warning', dead: 'bad' })
export const InvitationState = stateIn({ completed: 'good', processing: 'warning' })
export const MessageState = stateIn({ sent: 'good', failed: 'bad' })
export const OperationState = stateIn({
  succeeded: 'good',
  declined: 'bad',
  reversed: 'bad',
  action_required: 'warning',
  pending: 'warning',
  in_progress: 'warning',
  unknown: 'warning',
  needs_review: 'bad',
})
const TransactionStatus = stateIn({
  pending: 'warning',
  failed: 'bad',
  authorized: 'good',
  partially_captured: 'good',
  captured: 'good',
})

const healthTones: Tones = { active: 'good', failing: 'bad', paused: 'warning' }

/** The state of a subscription in one word, with the reason on hover. */
export const Health = ({ health: { state, reason } }: { health: WebhookSubscriptionHealth }) => (
  <Badge tone={healthTones[state]} title={reason}>
    {state}
  </Badge>
)

const outcomeTones: Tones = { success: 'good', denied: 'bad', rejected: 'warning', error: 'bad' }

/** Status and outcome of a request. */
export const Outcome = ({ record: { outcome, status } }: { record: Pick<AuditRecord, 'outcome' | 'status'> }) => (
  <Badge tone={outcomeTones[outcome]}>
    {status} {outcome}
  </Badge>
)

interface TransactionStateProps {
  readonly transaction: Pick<Transaction, 'status' | 'pending_operation'>
}

/** The status of a transaction, and the state of its open operation. */
export const TransactionState = ({ transaction: { status, pending_operation: open } }: TransactionStateProps) => (
  <span className="row">
    <TransactionStatus status={status} />
    {open === null ? null : (
      <span className="row">
        <small>{open.type}</small> <OperationState status={open.state} />
      </span>
    )}
  </span>
)

/** Whether a user may sign in. */
export const UserState = ({ isEnabled }: { isEnabled: boolean }) => (
  <Badge tone={isEnabled ? 'good' : undefined}>{isEnabled ? 'enabled' : 'disabled'}</Badge>
)

/** Whether the link of an invitation may still be paid, or be sent again. */
export const isOpen = (status: string): boolean => status !== 'completed' && status !== 'canceled'

/** Whether the key can be used now, in one word. */
export function KeyState({ apiKey }: { apiKey: Pick<ApiKey, 'enabled' | 'expires_at' | 'role_ids'> }) {
  const { enabled, expires_at: expiresAt } = apiKey
  if (!enabled) return <Badge>disabled</Badge>
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) {
    return <Badge tone="bad">expired</Badge>
  }
  const isNear = expiresAt !== null && Date.parse(expiresAt) - Date.now() < 14 * 86_400_000
  return (
    <Badge tone={isNear ? 'warning' : 'good'}>
      {isNear ? `expires ${relative(new Date(expiresAt), new Date())}` : 'enabled'}
    </Badge>
  )
}
