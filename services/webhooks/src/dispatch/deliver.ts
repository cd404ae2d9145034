import type { KeyObject } from 'node:crypto'
import { tracing } from '@payments/chassis/observability/trace'
import { LocalFailure } from '@payments/egress/local-failure'
import { isOutage } from '@payments/messaging/consume/outage'
import { attemptHeaders } from '../domain/attempt/attempt-headers.ts'
import type { AttemptOutcome } from '../domain/attempt/outcome.ts'
import { signMessage } from '../domain/attempt/signature.ts'
import type { WorkItem } from '../domain/delivery/delivery.ts'
import { type NextStep, scheduleNext, sweepAfterMs } from '../domain/delivery/retry-policy.ts'
import { testEventType } from '../domain/event/event-type.ts'
import { secretBinding } from '../domain/subscription/subscription.ts'
import type { EncryptedAuthInfo } from '../egress/authenticated-send.ts'
import type { Claimed } from '../store/delivery/claim.ts'
import type { Recorded } from '../store/delivery/delivery-state.ts'
import { recordIn } from '../store/delivery/delivery-steps.ts'
import { advanceProbe, openBreaker, settleProbe } from '../store/subscription/breakers.ts'
import { disableSubscription, lockSubscriptionRow } from '../store/subscription/subscriptions.ts'
import type { DispatcherDeps } from './deps.ts'
import type { AttemptPermit } from './destination-limits.ts'
import { tracedSend } from './traced-send.ts'

/** Wait of a delivery after an outage of the database or the broker, and after a bug. */
const outageWaitMs = 5_000
const bugWaitMs = 60_000

/**
 * **What it does.** Makes one attempt of one delivery, records its outcome and starts the next step (README.md has the
 * steps).
 *
 * **Participants.** Called for a due delivery: by a worker, for what fan-out and the backlog dispatcher have claimed
 * (`known`), or by the consumer of `webhooks.deliveries`.
 *
 * **Guarantees.**
 * 1. Every attempt is made at least once and counted once: each step names the number of attempts that it knows.
 * 2. A killed process delays the next step: the sweeper starts it, and the reconciliation adds a missing dead letter.
 * 3. A 410 also disables the subscription, in the transaction of `record`.
 *
 * **Not guaranteed.** That a receiver sees an attempt only once.
 */
export async function deliver(
  deps: DispatcherDeps,
  item: WorkItem,
  permit: AttemptPermit,
  known?: Claimed,
): Promise<void> {
  const claimed = known ?? (await deps.db.steps.claim(item))
  if (claimed?.disposition !== 'delivering') {
    const found = claimed?.disposition ?? 'nothing to do'
    deps.log.debug({ delivery_id: item.id, attempt: item.attemptCount + 1, found }, 'no attempt')
    return
  }
  if (!(await permit.acquire())) return enqueueBacklog(deps, item, true)
  const outcome = await attempt(deps, item, claimed, () => permit.release())
  if (outcome === undefined) return
  const next = scheduleNext(outcome, deps.schedule, claimed.schedulePosition, Math.random())
  const recorded = await record(deps, item, claimed, outcome, next)
  deps.metrics.attempts.inc({ outcome: outcome.errorKind ?? 'delivered' })
  deps.metrics.attemptSeconds.observe(outcome.durationMs / 1000)
  deps.log.info(
    {
      trace_id: claimed.traceId,
      delivery_id: item.id,
      subscription_id: item.subscriptionId,
      tenant_id: item.tenantId,
      event_type: claimed.eventType,
      attempt: item.attemptCount + 1,
      status_code: outcome.statusCode,
      error_kind: outcome.errorKind,
      duration_ms: outcome.durationMs,
      status: recorded?.status ?? 'recorded by another worker',
      next_in_ms: next.delayMs,
    },
    'attempt',
  )
  if (recorded !== undefined) noteOutcome(deps, item, recorded, outcome)
  if (recorded?.status === 'delivered') deps.metrics.latency.observe(recorded.ageMs / 1000)
  if (recorded?.status === 'retrying' || recorded?.status === 'dead') await publishNext(deps, item, claimed, next)
  await countOutcome(deps, item, claimed, outcome)
}

/** In memory: the health of the subscription, and what waits for changes (last-outcomes.ts, changes.ts). */
function noteOutcome({ db }: DispatcherDeps, item: WorkItem, { status }: Recorded, { errorKind }: AttemptOutcome) {
  db.lastOutcomes.note(item, errorKind === null)
  db.changes.note(item.tenantId, 'deliveries')
  if (status === 'dead') db.changes.note(item.tenantId, 'dead_letters')
  if (errorKind === 'gone') db.changes.note(item.tenantId, 'subscriptions')
}

/** No permit of the destination is free: the delivery waits in the backlog, where it occupies no worker. */
export async function enqueueBacklog(
  deps: Pick<DispatcherDeps, 'db' | 'limits'>,
  item: WorkItem,
  claimed: boolean,
): Promise<void> {
  deps.limits.markBacklogged(item)
  await deps.db.steps.enqueueBacklog(item, claimed)
}

/** Undefined when no attempt was made, for a local reason. */
async function attempt(
  deps: DispatcherDeps,
  item: WorkItem,
  claimed: Claimed,
  release: () => void,
): Promise<AttemptOutcome | undefined> {
  try {
    if (claimed.body === null) throw new Error(`the event ${claimed.tenantEventId} has expired`)
    const keys = await signingKeys(deps, item, claimed)
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const body = Buffer.from(claimed.body)
    const message = { id: claimed.tenantEventId, timestampSeconds, body }
    const signature = keys.map((key) => signMessage(key, message)).join(' ')
    const { traceId, tenantEventId } = claimed
    const headers = attemptHeaders({ deliveryId: item.id, traceId, tenantEventId, timestampSeconds, signature })
    const request = { url: claimed.destinationUrl, body, headers }
    const send = tracing === undefined ? deps.send : tracedSend(tracing, deps.send, item, claimed)
    const outcome = await send(request, toEncryptedAuthInfo(item, claimed))
    release()
    return outcome
  } catch (err) {
    const waitMs = err instanceof LocalFailure ? err.waitMs : isOutage(err) ? outageWaitMs : undefined
    deps.log[waitMs === undefined ? 'error' : 'warn']({ err, delivery_id: item.id }, 'attempt not made; not counted')
    release()
    await deps.db.steps.postpone(item, waitMs ?? bugWaitMs)
    return undefined
  }
}

/** The keys of the current secret and, during a grace period, of the previous one. */
function signingKeys(deps: DispatcherDeps, item: WorkItem, claimed: Claimed): Promise<KeyObject[]> {
  if (claimed.secretEncrypted === null) throw new Error(`subscription ${item.subscriptionId} has no secret`)
  const secrets = [claimed.secretEncrypted, claimed.previousSecretEncrypted].filter((secret) => secret !== null)
  const binding = secretBinding(item.tenantId, item.subscriptionId)
  return Promise.all(secrets.map((secret) => deps.signingKeys(binding, secret)))
}

function toEncryptedAuthInfo({ tenantId, subscriptionId }: WorkItem, claimed: Claimed): EncryptedAuthInfo | null {
  const { authInfoId: id, authInfoVersion: version, configEncrypted } = claimed
  if (id === null) return null
  if (version === null || configEncrypted === null) {
    throw new Error(`subscription ${subscriptionId} refers to the auth info ${id}, which does not exist`)
  }
  return { id, tenantId, version, configEncrypted }
}

function record(deps: DispatcherDeps, item: WorkItem, claimed: Claimed, outcome: AttemptOutcome, next: NextStep) {
  const { delayMs } = next
  const published = delayMs !== null && deps.queues.carries(delayMs)
  const row = { ...next, published, sweepAfterMs: delayMs === null ? null : sweepAfterMs(delayMs, published) }
  if (outcome.errorKind !== 'gone') return deps.db.steps.record(item, outcome, row, claimed)
  return deps.db.acrossTenants(async (tx) => {
    // The subscription is locked before its deliveries, as in a deletion.
    await lockSubscriptionRow(tx, item.tenantId, item.subscriptionId)
    const recorded = await recordIn(tx, item, outcome, row, claimed)
    if (recorded !== undefined) {
      const { traceId } = claimed
      await disableSubscription(tx, item.tenantId, item.subscriptionId, { reason: 'gone', traceId })
    }
    return recorded
  })
}

/**
 * Counts the outcome for the breaker. A 410 does not count: it disables the subscription. Nor does a test event, which
 * a person sends to try a receiver; one that the receiver accepts makes the next probe due at once.
 */
async function countOutcome(
  deps: DispatcherDeps,
  item: WorkItem,
  { probe, eventType }: Claimed,
  { errorKind }: AttemptOutcome,
): Promise<void> {
  const { tenantId, subscriptionId } = item
  const { limits } = deps
  const { probeAfterMs } = limits.breaker
  if (eventType === testEventType && !probe) {
    if (errorKind === null && (await advanceProbe(deps.db.crossTenant, tenantId, subscriptionId))) {
      deps.db.changes.note(tenantId, 'subscriptions')
      limits.backlogSignal.wake()
    }
    return
  }
  const tripped = errorKind !== 'gone' && limits.countOutcome(item, errorKind)
  if (probe) {
    const succeeded = errorKind === null
    await settleProbe(deps.db.crossTenant, tenantId, { subscriptionId, id: item.id, succeeded }, probeAfterMs)
    deps.metrics.breakerChanges.inc({ change: succeeded ? 'closed' : 'reopened' })
    deps.db.changes.note(tenantId, 'subscriptions')
    if (succeeded) limits.backlogSignal.wake()
  } else if (tripped && (await openBreaker(deps.db.crossTenant, tenantId, subscriptionId, probeAfterMs))) {
    deps.metrics.breakerChanges.inc({ change: 'opened' })
    deps.db.changes.note(tenantId, 'subscriptions')
    deps.log.warn(
      { tenant_id: tenantId, subscription_id: subscriptionId, error_kind: errorKind },
      'circuit breaker opened',
    )
  }
}

/** After a failure here, the sweeper or the reconciliation acts: the committed row says what is due. */
async function publishNext(deps: DispatcherDeps, item: WorkItem, claimed: Claimed, next: NextStep): Promise<void> {
  try {
    if (next.status === 'dead') {
      const { id, tenantId, subscriptionId } = item
      await deps.deadLetters.publishDeadLetter({ id, tenantId, subscriptionId, eventType: claimed.eventType })
    } else if (next.delayMs !== null && deps.queues.carries(next.delayMs)) {
      await deps.queues.publishWork({ ...item, attemptCount: item.attemptCount + 1 }, next.delayMs)
    }
  } catch (err) {
    if (!isOutage(err)) throw err
    deps.log.warn({ err, delivery_id: item.id }, 'next step not published; left to the sweeper')
  }
}
