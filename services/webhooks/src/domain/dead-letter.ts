import { commonProblems, Problem } from '@payments/contracts/problem'
import { credentialMask } from '@payments/contracts/webhooks-auth-info'
import type {
  DeadLetter,
  DeadLetterFilter,
  QueuedDeadLetter,
  WholeDeadLetter,
} from '@payments/contracts/webhooks-dead-letters'
import type { ErrorKind } from '@payments/contracts/webhooks-delivery'
import { attemptHeaders, maskedSignature } from './attempt-headers.ts'
import type { CredentialNames } from './credentials.ts'
import { presentAttempt, type StoredAttempt } from './delivery.ts'
import { requireKnownType } from './event-type.ts'

/**
 * Which dead letters: all for which each given thing is so. It rests in a task as JSON, so instants are text.
 */
export interface Selection {
  readonly ids?: readonly string[]
  readonly tenantId?: string
  readonly businessUnitId?: string
  readonly subscriptionId?: string
  readonly errorKind?: ErrorKind
  readonly statusCode?: number
  readonly eventType?: string
  readonly deadAfter?: string
  readonly deadBefore?: string
}

/** What is to be done to which dead letters. */
export interface DeadLetterOrder {
  readonly selection: Selection
  readonly dryRun: boolean
  readonly ratePerSecond: number | null
  /** Why, where they are discarded. */
  readonly reason: string | null
}

type Chosen = {
  readonly ids?: readonly string[] | undefined
  readonly filter?: (DeadLetterFilter & { tenant_id?: string | undefined }) | undefined
}

/** `at`: where the filter stands in the request. Throws invalid_request for an event type there is none of. */
export function selectionOf({ ids, filter = {} }: Chosen, at = '/filter'): Selection {
  requireKnownType(filter.event_type, at)
  const selection = {
    ids,
    tenantId: filter.tenant_id,
    businessUnitId: filter.business_unit_id,
    subscriptionId: filter.subscription_id,
    errorKind: filter.error_kind,
    statusCode: filter.status_code,
    eventType: filter.event_type,
    deadAfter: filter.dead_after?.toISOString(),
    deadBefore: filter.dead_before?.toISOString(),
  }
  return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined))
}

type OrderBody = Chosen & {
  readonly dry_run: boolean
  readonly rate_per_second?: number | undefined
  readonly reason?: string
}

export function orderOf(body: OrderBody): DeadLetterOrder {
  return {
    selection: selectionOf(body),
    dryRun: body.dry_run,
    ratePerSecond: body.rate_per_second ?? null,
    reason: body.reason ?? null,
  }
}

export function queueOrderOf(body: OrderBody & { readonly operator: string }): QueueOrder {
  return { ...orderOf(body), by: operatorName(body.operator) }
}

export const operatorName = (operator: string) => `operator:${operator}`

/** What an operator wants done to a queue. `selection.ids` are those of messages. */
export interface QueueOrder extends DeadLetterOrder {
  /** `operator:<name>`. */
  readonly by: string
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The ids of messages are those of deliveries. Throws invalid_request on one that is no UUID. */
export function withDeliveryIds<O extends DeadLetterOrder>(order: O): O {
  const { ids } = order.selection
  if (ids === undefined) return order
  const wrong = ids.flatMap((id, index) => (uuid.test(id) ? [] : [index]))
  if (wrong.length > 0) {
    const errors = wrong.map((index) => ({ pointer: `/ids/${index}`, detail: 'must be a UUID' }))
    throw new Problem(commonProblems.invalid_request, { errors })
  }
  return { ...order, selection: { ...order.selection, ids: ids.map((id) => id.toLowerCase()) } }
}

export interface StoredDeadLetter {
  readonly id: string
  readonly tenantId: string
  readonly businessUnitId: string
  readonly subscriptionId: string
  readonly tenantEventId: string
  readonly eventType: string
  readonly destinationUrl: string
  readonly attemptCount: number
  readonly errorKind: ErrorKind | null
  readonly statusCode: number | null
  readonly lastError: string | null
  readonly occurredAt: Date
  readonly deadAt: Date
}

export interface StoredWholeDeadLetter extends StoredDeadLetter {
  readonly traceId: string
  readonly body: string
}

export function presentDeadLetter(letter: StoredDeadLetter): DeadLetter {
  return {
    id: letter.id,
    business_unit_id: letter.businessUnitId,
    subscription_id: letter.subscriptionId,
    tenant_event_id: letter.tenantEventId,
    event_type: letter.eventType,
    destination_url: letter.destinationUrl,
    attempt_count: letter.attemptCount,
    error_kind: letter.errorKind,
    status_code: letter.statusCode,
    last_error: letter.lastError ?? '',
    occurred_at: letter.occurredAt.toISOString(),
    dead_at: letter.deadAt.toISOString(),
  }
}

/**
 * The request of the last attempt, rebuilt from what it was made of. Of the credentials only the names were kept: each is shown
 * with the mask in place of its value.
 */
export function presentWholeDeadLetter(
  letter: StoredWholeDeadLetter,
  attempts: readonly StoredAttempt[],
): WholeDeadLetter {
  const shown = attempts.map(presentAttempt)
  const last = shown.at(-1)
  const credentials = attempts.at(-1)?.credentialNames as CredentialNames | null | undefined
  const timestampSeconds = Math.floor((attempts.at(-1)?.startedAt ?? letter.deadAt).getTime() / 1000)
  return {
    ...presentDeadLetter(letter),
    tenant_id: letter.tenantId,
    request: {
      method: 'POST',
      url: withMaskedQuery(letter.destinationUrl, credentials?.query ?? []),
      headers: {
        ...attemptHeaders({ ...letter, timestampSeconds, signature: maskedSignature }),
        ...Object.fromEntries((credentials?.headers ?? []).map((name) => [name, credentialMask])),
      },
      body: letter.body,
    },
    response:
      last === undefined || last.status_code === null
        ? null
        : { status_code: last.status_code, body: last.response_body, truncated: last.response_truncated },
    attempts: shown,
  }
}

/** Where the sender puts them (egress/send.ts): after the query that the destination has. */
function withMaskedQuery(url: string, names: readonly string[]): string {
  const added = names.map((name) => `${encodeURIComponent(name)}=${credentialMask}`).join('&')
  if (added === '') return url
  return `${url}${new URL(url).search === '' ? '?' : '&'}${added}`
}

/** As one looks into the queue, where quarantined messages have the same shape. */
export function presentQueued(letter: StoredDeadLetter): QueuedDeadLetter {
  return {
    id: letter.id,
    tenant_id: letter.tenantId,
    business_unit_id: letter.businessUnitId,
    event_type: letter.eventType,
    tenant_event_id: letter.tenantEventId,
    destination_url: letter.destinationUrl,
    attempts: letter.attemptCount,
    last_error: letter.lastError ?? '',
    dead_at: letter.deadAt.toISOString(),
  }
}
