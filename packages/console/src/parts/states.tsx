import type { ApiKey, AuditRecord, Transaction, WebhookSubscriptionHealth } from '@payments/client/schemas'
import { relative } from '../text/format.ts'
import { Badge, State, type Tones } from '../ui/content.tsx'

const deliveryTones: Tones = { delivered: 'good', retrying: 'warning', held: 'warning', dead: 'bad' }

export const DeliveryState = ({ status }: { status: string }) => <State state={status} tones={deliveryTones} />

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

const transactionTones: Tones = {
  pending: 'warning',
  failed: 'bad',
  authorized: 'good',
  partially_captured: 'good',
  captured: 'good',
}

interface TransactionStateProps {
  readonly transaction: Pick<Transaction, 'status' | 'pending_operation'>
}

/** The status of a transaction, and the state of its open operation. */
export const TransactionState = ({ transaction: { status, pending_operation: open } }: TransactionStateProps) => (
  <span className="row">
    <State state={status} tones={transactionTones} />
    {open === null ? null : (
      <span className="row">
        <small>{open.type}</small> <OperationState state={open.state} />
      </span>
    )}
  </span>
)

const operationTones: Tones = {
  succeeded: 'good',
  declined: 'bad',
  reversed: 'bad',
  action_required: 'warning',
  pending: 'warning',
  in_progress: 'warning',
  unknown: 'warning',
  needs_review: 'bad',
}

export const OperationState = ({ state }: { state: string }) => <State state={state} tones={operationTones} />

const messageTones: Tones = { sent: 'good', failed: 'bad' }

export const MessageState = ({ status }: { status: string }) => <State state={status} tones={messageTones} />

/** Whether a user may sign in. */
export const UserState = ({ isEnabled }: { isEnabled: boolean }) => (
  <Badge tone={isEnabled ? 'good' : undefined}>{isEnabled ? 'enabled' : 'disabled'}</Badge>
)

const tones: Tones = { completed: 'good', processing: 'warning' }

export const InvitationState = ({ status }: { status: string }) => <State state={status} tones={tones} />

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
