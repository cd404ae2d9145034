import type { PublicCaller } from '@payments/chassis/base/caller'
import { containsCardNumber } from '@payments/chassis/base/card-number'
import { newId } from '@payments/chassis/base/id'
import type { RawBody } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import type { Deps } from '../deps.ts'
import { queuedMax } from '../domain/provider-event.ts'
import { findOrchestratorOwner } from '../store/business-unit-copies.ts'
import { hasQueuedEvents, insertProviderEvent } from '../store/provider-events.ts'

/** Text that a column can store. */
const eventIdPattern = /^[^\p{Cc}\p{Cs}]{1,255}$/u
const fullRetryAfterSeconds = 30

/**
 * Stores the event of a payment provider in the inbox, without what has the form of a card number: an outcome is not
 * lost for a text. `applyProviderEvents` applies it. A repeated event is stored once. Throws
 * payment_orchestrator_not_found, invalid_provider_webhook, service_unavailable, and rate_limited beyond the bounds of
 * the payment orchestrator.
 */
export async function receiveProviderWebhook(
  deps: Deps,
  { recordTenant }: PublicCaller,
  paymentOrchestratorId: string,
  { bytes, headers }: RawBody,
): Promise<{ received: true }> {
  const owner = await deps.db.acrossTenants((tx) => findOrchestratorOwner(tx, paymentOrchestratorId))
  if (owner === null) throw new Problem(problems.payment_orchestrator_not_found)
  const { tenantId, businessUnitId } = owner
  const receivedAt = deps.now()
  const reading = await deps.providerCalls.parseWebhook(
    { tenantId, businessUnitId, paymentOrchestratorId },
    { headers, body: bytes, receivedAt },
  )
  if (reading.kind === 'rejected') throw new Problem(problems.invalid_provider_webhook, { detail: reading.reason })
  recordTenant(tenantId)
  if (reading.kind === 'too_many') throw tooMany(reading.retryAfterSeconds)
  if (reading.kind === 'ignored') return { received: true }
  const { event } = reading
  if (!eventIdPattern.test(event.eventId) || containsCardNumber(event.eventId)) {
    throw new Problem(problems.invalid_provider_webhook, { detail: 'The identifier of the event cannot be stored' })
  }
  const waiting = { appliedAt: null, attemptCount: 0, dueAt: receivedAt }
  const received = { ...event, id: newId(), tenantId, paymentOrchestratorId, receivedAt, ...waiting }
  await deps.db.inTenant(tenantId, async (tx) => {
    const isFull = await hasQueuedEvents(tx, tenantId, paymentOrchestratorId, queuedMax)
    if (isFull) throw tooMany(fullRetryAfterSeconds)
    await insertProviderEvent(tx, tenantId, received)
  })
  return { received: true }
}

function tooMany(retryAfterSeconds: number): Problem {
  const detail = 'The payment orchestrator reports more events than the platform accepts at the moment'
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
}
