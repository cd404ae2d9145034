import { DeadlineError, within } from '@payments/chassis/base/deadline'
import { inSpan } from '@payments/chassis/observability/trace'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { type CommunicationFacts, presentCommunication } from '../domain/communication.ts'
import { isBeyondSchedule, nextAttemptAt } from '../domain/retry-schedule.ts'
import { type Provider, type SendOutcome, timedOut } from '../providers/provider.ts'
import * as communications from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import type { DeliveryMetrics } from './metrics.ts'

export type DeliverDeps = Pick<Deps, 'db' | 'providers' | 'now' | 'log'> & {
  readonly metrics: DeliveryMetrics
  readonly sendTimeoutMs?: number
}

const sendTimeoutMsDefault = 10_000

/**
 * **What it does.** Attempts a claimed communication: calls the provider, for at most 10 s outside of any transaction,
 * then records the outcome with the event of an ended communication.
 *
 * **Guarantees.**
 * 1. A communication ends once, with one event: the update requires a queued row.
 * 2. A failure of the provider or of this process loses nothing: the row stays queued, and is due again.
 * 3. After the last attempt the communication is `failed` with `provider_unavailable`. Attempts of processes that ended
 *    before the record count too.
 *
 * **Not guaranteed.** That the provider gets a message once. After a crash, it is sent again with the same id. The
 * providers `outbox` and `http` know the id; SMTP servers do not.
 */
export async function deliver(deps: DeliverDeps, claimed: communications.Claimed): Promise<void> {
  const provider = deps.providers[claimed.communicationType]
  const startedAt = performance.now()
  const outcome = isBeyondSchedule(claimed.attemptCount) ? interrupted : await traced(deps, provider, claimed)
  const durationMs = Math.round(performance.now() - startedAt)
  deps.metrics.attempted(provider.name, outcome.kind)
  const line = {
    trace_id: claimed.traceId,
    tenant_id: claimed.tenantId,
    communication_id: claimed.id,
    provider: provider.name,
    attempt: claimed.attemptCount,
    outcome: outcome.kind,
    ...(outcome.kind === 'unavailable' ? { reason: outcome.reason } : {}),
    duration_ms: durationMs,
  }
  deps.log.info(line, 'attempt')
  await deps.db.inTenant(claimed.tenantId, (tx) => record(tx, deps, claimed, provider, outcome))
}

/** Each attempt of the schedule was claimed, and none of the last ones was recorded: their processes ended. */
const interrupted: SendOutcome = { kind: 'unavailable', reason: 'interrupted' }

/** The span of an attempt, in the trace of the request that queued the message. */
function traced(deps: DeliverDeps, provider: Provider, claimed: communications.Claimed): Promise<SendOutcome> {
  const { traceId, communicationType } = claimed
  const attributes = { 'payments.message.provider': provider.name, 'payments.message.attempt': claimed.attemptCount }
  return inSpan(`send ${communicationType}`, { kind: 'client', traceId, attributes }, async (add) => {
    const outcome = await send(deps, provider, claimed)
    add({ 'payments.outcome': outcome.kind })
    return outcome
  })
}

async function send(deps: DeliverDeps, provider: Provider, claimed: communications.Claimed): Promise<SendOutcome> {
  const abort = new AbortController()
  const timeoutMs = deps.sendTimeoutMs ?? sendTimeoutMsDefault
  try {
    return await within(timeoutMs, `sending by ${provider.name}`, provider.send(claimed, abort.signal))
  } catch (error) {
    if (error instanceof DeadlineError) return timedOut
    // An error of our own code counts as an attempt, so a message that always fails ends with the schedule.
    deps.log.error({ err: error, communication_id: claimed.id, trace_id: claimed.traceId }, 'provider failed')
    return { kind: 'unavailable', reason: 'internal' }
  } finally {
    // Ends a call that is not done in time.
    abort.abort()
  }
}

async function record(
  tx: Tx,
  { now }: Pick<DeliverDeps, 'now'>,
  claimed: communications.Claimed,
  { name: provider }: Provider,
  outcome: SendOutcome,
): Promise<void> {
  const { tenantId, id } = claimed
  if (outcome.kind === 'accepted') {
    const { providerMessageId } = outcome
    const sent = await communications.end(tx, tenantId, id, { provider, providerMessageId, sentAt: now() })
    if (sent !== null) await emitEnd(tx, claimed, 'communication.communications.send', sent)
    return
  }
  const nextAt = outcome.kind === 'unavailable' ? nextAttemptAt(claimed.attemptCount, now()) : null
  if (nextAt !== null) return communications.postpone(tx, tenantId, claimed, nextAt)
  const error =
    outcome.kind === 'refused'
      ? ({ code: 'refused', detail: outcome.detail } as const)
      : ({ code: 'provider_unavailable', detail: `${claimed.attemptCount} attempts failed` } as const)
  const failed = await communications.end(tx, tenantId, id, { provider, error })
  if (failed !== null) await emitEnd(tx, claimed, 'communication.communications.send.failed', failed)
}

async function emitEnd(
  tx: Tx,
  { tenantId, traceId }: communications.Claimed,
  type: 'communication.communications.send' | 'communication.communications.send.failed',
  communication: CommunicationFacts,
): Promise<void> {
  const payload = { communication: presentCommunication(communication) }
  const { businessUnitId } = communication
  await emit(tx, communicationContract.events, { type, tenantId, businessUnitId, traceId, payload })
}
