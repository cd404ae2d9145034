import { nextAttemptAfter } from './operation.ts'
import type { ReportedOutcome } from './outcome.ts'

/** A report of a payment provider about an operation, as stored in the inbox. */
export interface ProviderEvent {
  /** UUID v7, in the order of receipt. */
  readonly id: string
  readonly tenantId: string
  readonly paymentOrchestratorId: string
  /** Identifier of the event at the provider: a repeated event has the same. */
  readonly eventId: string
  /** Our id of the operation, where the provider reports it. */
  readonly operationId: string | null
  /** Reference of the provider for the operation. */
  readonly providerReference: string | null
  /** For a succeeded refund, `declined` reverses it. */
  readonly outcome: ReportedOutcome
  readonly receivedAt: Date
  readonly appliedAt: Date | null
  readonly attemptCount: number
  /** When to apply it. Null once it is applied, or unmatched. */
  readonly dueAt: Date | null
}

/** Events of a payment orchestrator that are not applied yet. Concurrent requests may store a few more. */
export const queuedMax = 1_000

/** Unmatched events that wait per payment orchestrator. Most report payments of other systems of the merchant. */
export const unmatchedMax = 200

/**
 * A repeated event is known for this long. Providers repeat an event for days, and an event that is applied a second
 * time changes nothing.
 */
export const retentionMs = 90 * 24 * 60 * 60 * 1000

const triedMs = 60 * 60 * 1000

export function markApplied(event: ProviderEvent, now: Date): ProviderEvent {
  return { ...event, attemptCount: event.attemptCount + 1, appliedAt: now, dueAt: null }
}

const retriedMs = 1_000

/** An event that waits for the process that calls the provider about its operation, which takes seconds. */
export function delayEvent(event: ProviderEvent, now: Date): ProviderEvent {
  return retryAt(event, new Date(now.getTime() + retriedMs), now)
}

/** An event whose operation is not known yet. */
export function postponeEvent(event: ProviderEvent, now: Date): ProviderEvent {
  return retryAt(event, nextAttemptAfter(event.receivedAt.getTime(), now), now)
}

/** An event is tried again for an hour, and is unmatched after that. */
function retryAt(event: ProviderEvent, dueAt: Date, now: Date): ProviderEvent {
  const isOver = now.getTime() - event.receivedAt.getTime() >= triedMs
  return { ...event, attemptCount: event.attemptCount + 1, dueAt: isOver ? null : dueAt }
}
