import type { QueuedDeadLetter } from '@payments/contracts/endpoints/quarantine'
import { formatAmount } from '@payments/contracts/grammar/currency'
import type { PayerErasure } from '@payments/contracts/services/communication/payers'
import type { Session } from '@payments/contracts/services/identity/sessions'
import type { User, UserInvitation } from '@payments/contracts/services/identity/users'
import type { OpenOperation } from '@payments/contracts/services/payment-proxy/operators'
import type { Tenant } from '@payments/contracts/services/rbac/contract'
import type {
  DeadLetterGroups,
  InspectedTask,
  WholeDeadLetter,
} from '@payments/contracts/services/webhooks/dead-letters'
import type { Difference } from './reconciliation.ts'
import { ageColumn, type Column, formatAge, idColumn, wideColumn } from './table.ts'

/** The columns of every list. An id that another command takes is whole. */

export const tenantListColumns: readonly Column<Tenant>[] = [
  { title: 'tenant', cell: (one) => one.id },
  { title: 'name', cell: (one) => one.name, fit: 'end' },
  { title: 'status', cell: (one) => one.status },
  ageColumn('created', 'age', (one) => one.created_at),
  ageColumn('updated', 'updated', (one) => one.updated_at),
]

export const payerErasureColumns: readonly Column<PayerErasure>[] = [
  { title: 'erasure', cell: (one) => one.id },
  idColumn('tenant', (one) => one.tenant_id),
  { title: 'by', cell: (one) => one.requested_by, fit: 'end' },
  ageColumn('requested', 'age', (one) => one.requested_at),
  {
    title: 'waits for',
    cell: ({ services }) =>
      services.flatMap(({ service, completed_at }) => (completed_at === null ? [service] : [])).join(', '),
    fit: 'end',
  },
  wideColumn('completed', (one) => one.completed_at),
  wideColumn('reason', (one) => one.reason),
]

export const userColumns = (roleNames: (id: string) => string): Column<User>[] => [
  { title: 'user', cell: (one) => one.id },
  { title: 'email', cell: (one) => one.email, fit: 'end' },
  wideColumn('name', (one) => one.name),
  { title: 'roles', cell: (one) => one.role_ids.map(roleNames).join(', '), fit: 'end' },
  wideColumn('enabled', (one) => (one.enabled ? 'yes' : 'no')),
  {
    title: 'signed in',
    cell: (one) => one.last_signed_in_at,
    narrow: {
      title: 'signed in',
      cell: (one) => (one.enabled ? formatAge(one.last_signed_in_at, Date.now()) : 'disabled'),
    },
  },
  wideColumn('created', (one) => one.created_at),
  wideColumn('created by', (one) => one.created_by),
]

export const userInvitationColumns = (roleNames: (id: string) => string): Column<UserInvitation>[] => [
  idColumn('invitation', (one) => one.id),
  { title: 'email', cell: (one) => one.email, fit: 'end' },
  { title: 'roles', cell: (one) => one.role_ids.map(roleNames).join(', '), fit: 'end' },
  { title: 'status', cell: (one) => one.status },
  ageColumn('sent', 'sent', (one) => one.last_sent_at),
  wideColumn('expires', (one) => one.expires_at),
  wideColumn('user', (one) => one.user_id),
  wideColumn('created by', (one) => one.created_by),
]

export const sessionColumns: readonly Column<Session>[] = [
  { title: 'user', cell: (one) => one.user_id },
  wideColumn('session', (one) => one.id),
  { title: 'kind', cell: (one) => one.kind },
  ageColumn('created', 'age', (one) => one.created_at),
  ageColumn('last seen', 'seen', (one) => one.last_seen_at),
  wideColumn('expires', (one) => one.expires_at),
  { title: 'ip', cell: (one) => one.ip, fit: 'end' },
  { title: 'user agent', cell: (one) => one.user_agent, fit: 'end' },
]

export const openColumns = (tenants: Column<OpenOperation>[]): Column<OpenOperation>[] => [
  ageColumn('created', 'age', (one) => one.created_at),
  wideColumn('operation', (one) => one.id),
  idColumn('transaction', (one) => one.transaction_id),
  ...tenants,
  { title: 'type', cell: (one) => one.type },
  { title: 'amount', cell: (one) => formatAmount(one.amount, one.currency) },
  wideColumn('attempts', (one) => one.attempt_count),
  wideColumn('state', (one) => one.state),
  {
    title: 'reason',
    cell: (one) => one.reason,
    narrow: { title: 'state', cell: ({ state, reason }) => (reason === null ? state : `${state}: ${reason}`) },
    fit: 'fold',
  },
]

export const differenceColumns: readonly Column<Difference>[] = [
  { title: 'difference', cell: (one) => one.kind },
  idColumn('operation', (one) => one.operation_id),
  { title: 'reference', cell: (one) => one.provider_reference, fit: 'start' },
  { title: 'detail', cell: (one) => one.detail, fit: 'fold' },
]

export const queueColumns: readonly Column<{ name: string; depth: number; oldest_at: string | null }>[] = [
  { title: 'queue', cell: (queue) => queue.name },
  { title: 'depth', cell: (queue) => queue.depth },
  ageColumn('oldest', 'oldest', (queue) => queue.oldest_at),
]

export const letterColumns = (tenants: readonly Column<QueuedDeadLetter>[]): Column<QueuedDeadLetter>[] => [
  { title: 'id', cell: (letter) => letter.id, fit: 'id' },
  ageColumn('dead since', 'age', (letter) => letter.dead_at),
  ...tenants,
  { title: 'event type', cell: (letter) => letter.event_type, fit: 'start' },
  wideColumn('destination', (letter) => letter.destination_url),
  wideColumn('attempts', (letter) => letter.attempts),
  {
    title: 'last error',
    cell: (letter) => letter.last_error,
    narrow: { title: 'last error', cell: ({ last_error: error }) => readStatus(error) ?? error },
    fit: 'end',
  },
]

/** `HTTP 500` of `status: responded with 500`, which a narrow list would cut before the status code. */
function readStatus(error: string): string | undefined {
  const [, code] = /^[a-z]{1,20}: responded with ([0-9]{3})$/.exec(error) ?? []
  return code === undefined ? undefined : `HTTP ${code}`
}

export const groupColumns = (by: string): Column<DeadLetterGroups['data'][number]>[] => [
  { title: by, cell: (group) => group.key, fit: 'id' },
  { title: 'count', cell: (group) => group.count },
  ageColumn('oldest', 'oldest', (group) => group.oldest_at),
  ageColumn('newest', 'newest', (group) => group.newest_at),
]

export const attemptColumns: readonly Column<WholeDeadLetter['attempts'][number]>[] = [
  { title: 'attempt', cell: (one) => one.number },
  ageColumn('at', 'age', (one) => one.started_at),
  { title: 'took ms', cell: (one) => one.duration_ms },
  { title: 'status', cell: (one) => one.status_code },
  { title: 'error', cell: (one) => one.error_kind },
  { title: 'detail', cell: (one) => one.error_detail, fit: 'fold' },
  wideColumn('sent to', (one) => one.destination_url),
  wideColumn('label', (one) => one.label),
]

export const taskColumns = (tenants: readonly Column<InspectedTask>[]): Column<InspectedTask>[] => [
  { title: 'id', cell: (task) => task.id },
  { title: 'kind', cell: (task) => task.kind },
  { title: 'status', cell: (task) => task.status },
  { title: 'done', cell: ({ done, total }) => `${done} of ${total}` },
  wideColumn('delivered', ({ outcomes }) => outcomes && outcomes.delivered),
  wideColumn('died again', ({ outcomes }) => outcomes && outcomes.dead),
  wideColumn('waiting', ({ outcomes }) => outcomes && outcomes.waiting),
  ...tenants.map((column): Column<InspectedTask> => ({ ...column, narrow: null })),
  wideColumn('by', (task) => task.created_by),
  ageColumn('created', 'age', (task) => task.created_at),
  wideColumn('ended', (task) => task.finished_at),
]
