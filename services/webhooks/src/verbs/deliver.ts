import type { KeyObject } from 'node:crypto'
import { isOutage } from '@payments/messaging/outage'
import type { DispatcherDeps } from '../deps.ts'
import { attemptHeaders } from '../domain/attempt-headers.ts'
import { leaseMs } from '../domain/lease.ts'
import { type Following, following, sweepAfterMs } from '../domain/next.ts'
import type { Outcome } from '../domain/outcome.ts'
import { OwnFault } from '../domain/own-fault.ts'
import { signatureOf } from '../domain/signature.ts'
import { secretBinding } from '../domain/subscription.ts'
import type { WorkItem } from '../domain/work-item.ts'
import type { SealedAuthInfo } from '../egress/authenticated-send.ts'
import type { Place } from '../egress/traffic.ts'
import type { Claimed } from '../store/claim.ts'
import { recordIn } from '../store/delivery-steps.ts'
import { openBreaker, settleProbe } from '../store/destinations.ts'
import { disableSubscription } from '../store/disable-subscription.ts'
import { lockSubscriptionRow } from '../store/subscriptions.ts'

/**
 * One attempt of one delivery.
 *
 * People: whoever found it due brings the worker here (fan-out, the feeder, the message of a retry); the row says whether there
 * is anything to do; the receiver answers or does not; the sweeper (sweep.ts) comes after all of them.
 *
 *   claim    Where it was found, or here, if a message came: the row goes to `delivering` for `leaseMs`. The statement also reads
 *            what is to be sent. Whoever comes second, or late, or for an attempt already made, finds nothing and goes. Where the subscription is disabled or its destination's breaker open, the delivery
 *            goes into the line instead, held.
 *   send     In a slot of the destination: POST, outside of any transaction. No slot in time: into the line, not charged.
 *   record   The attempt and what follows it, in one statement, only if the attempt of this number is not recorded yet. An answer
 *            410 also disables the subscription, in the same transaction.
 *   judge    The attempt counts for the breaker: this may open it, or, where the delivery was its probe, close it.
 *   go on    The message of the next attempt, or of the dead letter. Then the message that came is acknowledged.
 *
 * Killed after the POST and before the record: the message comes again, finds the lease, and goes; when the lease is over the
 * sweeper sends another worker, and the attempt is made again. Killed after the record: the message comes again and finds the
 * attempt made; the sweeper sends the next one when it is overdue, the reconciliation adds the dead letter.
 * Claims and records of many deliveries share a statement (delivery-steps.ts); a message is acknowledged after its commit.
 * So every attempt is made at least once, and charged once. Not promised: that a receiver sees an attempt only once.
 *
 * Faults of ours (stopping, out of sockets, a secret that does not open) charge nothing: the row waits a little.
 */
const outageWaitMs = 5_000
const bugWaitMs = 60_000

/**
 * `place` is in the line of the destination; it is left as soon as the receiver has nothing more to do. `known`: it was claimed where
 * it was found.
 */
export async function deliver(deps: DispatcherDeps, work: WorkItem, place: Place, known?: Claimed): Promise<void> {
  const claimed = known ?? (await deps.db.steps.claim(work, leaseMs))
  if (claimed?.status !== 'delivering') {
    const found = claimed?.status ?? 'nothing to do'
    deps.log.debug({ delivery_id: work.id, attempt: work.attemptCount + 1, found }, 'no attempt')
    return
  }
  if (!(await place.enter())) {
    deps.egress.traffic.lined(work)
    await deps.db.steps.lineUp(work, true)
    return
  }
  const outcome = await attempt(deps, work, claimed, () => place.leave())
  if (outcome === undefined) return
  const next = following(outcome, deps.schedule, claimed.schedulePosition, Math.random())
  const recorded = await record(deps, work, claimed, outcome, next)
  deps.meters.attempted(outcome.errorKind ?? 'delivered', outcome.durationMs / 1000)
  deps.log.info(
    {
      trace_id: claimed.traceId,
      delivery_id: work.id,
      subscription_id: work.subscriptionId,
      tenant_id: work.tenantId,
      event_type: claimed.eventType,
      attempt: work.attemptCount + 1,
      status_code: outcome.statusCode,
      error_kind: outcome.errorKind,
      duration_ms: outcome.durationMs,
      status: recorded?.status ?? 'recorded by another',
      next_in_ms: next.status === 'retrying' ? next.delayMs : null,
    },
    'attempt',
  )
  if (recorded?.status === 'delivered') deps.meters.delivered(recorded.ageMs / 1000)
  if (recorded?.status === 'retrying' || recorded?.status === 'dead') await goOn(deps, work, claimed, next)
  await judge(deps, work, claimed, outcome)
}

/** Undefined where no attempt was made, for a reason of ours. */
async function attempt(
  deps: DispatcherDeps,
  work: WorkItem,
  claimed: Claimed,
  answered: () => void,
): Promise<Outcome | undefined> {
  try {
    const keys = await signingKeys(deps, work, claimed)
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const body = Buffer.from(claimed.body)
    const message = { id: claimed.tenantEventId, timestampSeconds, body }
    const signature = keys.map((key) => signatureOf(key, message)).join(' ')
    const { traceId, tenantEventId } = claimed
    const headers = attemptHeaders({ traceId, tenantEventId, timestampSeconds, signature })
    const outcome = await deps.egress.send({ url: claimed.destinationUrl, body, headers }, authInfoOf(work, claimed))
    answered()
    return outcome
  } catch (err) {
    const waitMs = err instanceof OwnFault ? err.waitMs : isOutage(err) ? outageWaitMs : undefined
    deps.log[waitMs === undefined ? 'error' : 'warn'](
      { err, delivery_id: work.id },
      'no attempt was made; none is charged',
    )
    answered()
    await deps.db.steps.putBack(work, waitMs ?? bugWaitMs)
    return undefined
  }
}

/** Of the present secret, and for the grace of a rotation of the one before it. */
function signingKeys(deps: DispatcherDeps, work: WorkItem, claimed: Claimed): Promise<KeyObject[]> {
  if (claimed.secretSealed === null) throw new Error(`subscription ${work.subscriptionId} has no secret`)
  const sealed = [claimed.secretSealed, claimed.previousSecretSealed].filter((one) => one !== null)
  const binding = secretBinding(work.tenantId, work.subscriptionId)
  return Promise.all(sealed.map((one) => deps.egress.signingKeys(binding, one)))
}

function authInfoOf({ tenantId, subscriptionId }: WorkItem, claimed: Claimed): SealedAuthInfo | null {
  const { authInfoId: id, authInfoVersion: version, configSealed } = claimed
  if (id === null) return null
  if (version === null || configSealed === null) {
    throw new Error(`subscription ${subscriptionId} refers to the auth info ${id}, which is not there`)
  }
  return { id, tenantId, version, configSealed }
}

function record(deps: DispatcherDeps, work: WorkItem, { traceId }: Claimed, outcome: Outcome, next: Following) {
  const delayMs = next.status === 'retrying' ? next.delayMs : null
  const queued = delayMs !== null && deps.queues.carries(delayMs)
  const row = {
    status: next.status,
    delayMs,
    queued,
    sweepAfterMs: delayMs === null ? null : sweepAfterMs(delayMs, queued),
    lastError: next.lastError,
  }
  if (outcome.errorKind !== 'gone') return deps.db.steps.record(work, outcome, row)
  return deps.db.acrossTenants(async (tx) => {
    // As deletion does: the subscription is locked before its deliveries.
    await lockSubscriptionRow(tx, work.tenantId, work.subscriptionId)
    const recorded = await recordIn(tx, work, outcome, row)
    if (recorded !== undefined)
      await disableSubscription(tx, work.tenantId, work.subscriptionId, { reason: 'gone', traceId })
    return recorded
  })
}

/** What is known of the receiver grows; one that is gone is told by its subscription. */
async function judge(deps: DispatcherDeps, work: WorkItem, { probe }: Claimed, { errorKind }: Outcome): Promise<void> {
  const { tenantId, subscriptionId } = work
  const { traffic } = deps.egress
  const { probeAfterMs } = traffic.breaker
  const tripped = errorKind !== 'gone' && traffic.judge(work, errorKind)
  if (probe) {
    const succeeded = errorKind === null
    await settleProbe(deps.db.sql, tenantId, { subscriptionId, id: work.id, succeeded }, probeAfterMs)
    deps.meters.breaker(succeeded ? 'closed' : 'reopened')
    if (succeeded) traffic.feeding.wake()
  } else if (tripped && (await openBreaker(deps.db.sql, tenantId, subscriptionId, probeAfterMs))) {
    deps.meters.breaker('opened')
    deps.log.warn({ tenant_id: tenantId, subscription_id: subscriptionId, error_kind: errorKind }, 'breaker opened')
  }
}

/** What is lost here, the sweeper or the reconciliation makes good: the row is committed, and says what is due. */
async function goOn(deps: DispatcherDeps, work: WorkItem, claimed: Claimed, next: Following): Promise<void> {
  try {
    if (next.status === 'dead') {
      const { id, tenantId, subscriptionId } = work
      await deps.queues.bury({ id, tenantId, subscriptionId, eventType: claimed.eventType })
    } else if (next.status === 'retrying' && deps.queues.carries(next.delayMs)) {
      await deps.queues.enqueue({ ...work, attemptCount: work.attemptCount + 1 }, next.delayMs)
    }
  } catch (err) {
    if (!isOutage(err)) throw err
    deps.log.warn({ err, delivery_id: work.id }, 'the broker did not take what follows; the sweeper will see to it')
  }
}
