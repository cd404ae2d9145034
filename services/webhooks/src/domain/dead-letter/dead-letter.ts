import type { QueuedDeadLetter } from '@payments/contracts/endpoints/quarantine'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterGrouping,
  InspectedDeadLetter,
  ShownDeadLetterFilter,
} from '@payments/contracts/services/webhooks/dead-letters'
import { type ErrorKind, errorKinds } from '@payments/contracts/services/webhooks/delivery'
import { presentRequest } from '../attempt/attempt-request.ts'
import { presentAttempt, type StoredAttempt } from '../delivery/delivery.ts'
import { requireKnownType } from '../event/event-type.ts'

/**
 * Selects the dead letters that meet every given condition. A task stores the selection as JSON, so instants are
 * text.
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

/** A request to redrive or discard dead letters. */
export interface DeadLetterTaskRequest {
  readonly selection: Selection
  readonly dryRun: boolean
  readonly ratePerSecond: number | null
  /** Of a discard. */
  readonly reason: string | null
}

type SelectionBody = {
  readonly ids?: readonly string[] | undefined
  readonly filter?: (DeadLetterFilter & { tenant_id?: string | undefined }) | undefined
}

/** `at`: JSON pointer of the filter. Throws invalid_request for an unknown event type. */
export function toSelection({ ids, filter = {} }: SelectionBody, at = '/filter'): Selection {
  requireKnownType(filter.event_type, at)
  return definedMembers({
    ids,
    tenantId: filter.tenant_id,
    businessUnitId: filter.business_unit_id,
    subscriptionId: filter.subscription_id,
    errorKind: filter.error_kind,
    statusCode: filter.status_code,
    eventType: filter.event_type,
    deadAfter: filter.dead_after?.toISOString(),
    deadBefore: filter.dead_before?.toISOString(),
  })
}

/** The filter that selects a group of the dead letters of a selection. Null for a group without a known cause. */
export function filterOfGroup(selection: Selection, by: DeadLetterGrouping, key: string): ShownDeadLetterFilter | null {
  const { errorKind, statusCode, ...others } = selection
  const cause = by === 'cause' ? readCause(key) : { errorKind, statusCode }
  if (cause === null) return null
  return definedMembers({
    tenant_id: others.tenantId,
    business_unit_id: others.businessUnitId,
    subscription_id: by === 'subscription' ? key : others.subscriptionId,
    event_type: by === 'event_type' ? key : others.eventType,
    error_kind: cause.errorKind,
    // A group of a kind without a code in its key may have been filtered by the code.
    status_code: cause.statusCode ?? statusCode,
    dead_after: others.deadAfter,
    dead_before: others.deadBefore,
  })
}

/** `status:500` → status, 500; `timeout` → timeout. */
function readCause(key: string): Pick<Selection, 'errorKind' | 'statusCode'> | null {
  const [kind, code] = key.split(':')
  const errorKind = errorKinds.find((known) => known === kind)
  if (errorKind === undefined) return null
  return code === undefined ? { errorKind } : { errorKind, statusCode: Number(code) }
}

type TaskRequestBody = SelectionBody & {
  readonly dry_run: boolean
  readonly rate_per_second?: number | undefined
  readonly reason?: string
}

export function toTaskRequest(body: TaskRequestBody): DeadLetterTaskRequest {
  return {
    selection: toSelection(body),
    dryRun: body.dry_run,
    ratePerSecond: body.rate_per_second ?? null,
    reason: body.reason ?? null,
  }
}

export function toQueueTaskRequest(body: TaskRequestBody & { readonly operator: string }): QueueTaskRequest {
  return { ...toTaskRequest(body), by: operatorName(body.operator) }
}

export const operatorName = (operator: string) => `operator:${operator}`

/** The request of an operator for a queue. `selection.ids` are ids of messages. */
export interface QueueTaskRequest extends DeadLetterTaskRequest {
  /** `operator:<name>`. */
  readonly by: string
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Ids of dead-letter messages are ids of deliveries. Throws invalid_request for an id that is not a UUID. */
export function requireDeliveryIds<R extends DeadLetterTaskRequest>(request: R): R {
  const { ids } = request.selection
  if (ids === undefined) return request
  const invalid = ids.flatMap((id, index) => (uuid.test(id) ? [] : [index]))
  if (invalid.length > 0) {
    const errors = invalid.map((index) => ({ pointer: `/ids/${index}`, detail: 'must be a UUID' }))
    throw new Problem(commonProblems.invalid_request, { errors })
  }
  return { ...request, selection: { ...request.selection, ids: ids.map((id) => id.toLowerCase()) } }
}

/**
 * The quarantined messages of a request: some by id, or all. Throws invalid_request for a filter or a rate, which only
 * dead letters support: the content of a quarantined message is not reliable.
 */
export function toMessageChoice(request: QueueTaskRequest): { ids: readonly string[] | undefined; dryRun: boolean } {
  const { ids, ...filter } = request.selection
  const detail = 'is not supported for this queue'
  const errors = [
    ...(Object.keys(filter).length > 0 ? [{ pointer: '/filter', detail }] : []),
    ...(request.ratePerSecond !== null ? [{ pointer: '/rate_per_second', detail }] : []),
  ]
  if (errors.length > 0) throw new Problem(commonProblems.invalid_request, { errors })
  return { ids, dryRun: request.dryRun }
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

export interface StoredDeadLetterDetail extends StoredDeadLetter {
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

export function presentDeadLetterDetail(
  letter: StoredDeadLetterDetail,
  attempts: readonly StoredAttempt[],
): InspectedDeadLetter {
  const shown = attempts.map(presentAttempt)
  const last = shown.at(-1)
  return {
    ...presentDeadLetter(letter),
    tenant_id: letter.tenantId,
    request: presentRequest(letter, attempts.at(-1)),
    response:
      last === undefined || last.status_code === null
        ? null
        : { status_code: last.status_code, body: last.response_body, truncated: last.response_truncated },
    attempts: shown,
  }
}

/** A dead letter in the form that both queues share. */
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
