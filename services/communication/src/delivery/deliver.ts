import { DeadlineError, within } from '@payments/chassis/base/deadline'
import { inSpan } from '@payments/chassis/observability/trace'
import { logAttempt } from '@payments/chassis/process/log-attempt'
import type { Deps } from '../deps.ts'
import { isBeyondSchedule, nextAttemptAt } from '../domain/retry-schedule.ts'
import { type Provider, type SendOutcome, timedOut } from '../providers/provider.ts'
import { type Claimed, postpone } from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import type { DeliveryAttempts } from './metrics.ts'
import type { MessageQueue } from './queues.ts'

export type DeliverDeps = Pick<Deps, 'db' | 'providers' | 'now' | 'log'> & {
  readonly attempts: DeliveryAttempts
  readonly queue: MessageQueue
  readonly sendTimeoutMs?: number
}

const sendTimeoutMsDefault = 10_000

/**
 * **What it does.** Attempts a claimed message: calls the provider, for at most 10 s outside of any transaction,
 * then records the outcome, with the event of an ended communication.
 *
 * **Guarantees.**
 * 1. A message ends once, a communication with one event: the update requires a queued row.
 * 2. A failure of the provider or of this process loses nothing: the row stays queued, and is due again.
 * 3. After the last attempt the message is `failed` with `provider_unavailable`. Attempts of processes that ended
 *    before the record count too.
 *
 * **Not guaranteed.** That the provider gets a message once. After a crash, it is sent again with the same id. The
 * providers `outbox` and `http` know the id; SMTP servers do not.
 */
export async function deliver(deps: DeliverDeps, claimed: Claimed): Promise<void> {
  const provider = deps.providers[claimed.communicationType]
  const ids = { trace_id: claimed.traceId, tenant_id: claimed.tenantId, communication_id: claimed.id }
  const fields = { ...ids, provider: provider.name, attempt: claimed.attemptCount }
  const outcome = await logAttempt<SendOutcome>(deps.log, fields, async () =>
    isBeyondSchedule(claimed.attemptCount) ? interrupted : sendInSpan(deps, provider, claimed),
  )
  deps.attempts.inc({ provider: provider.name, outcome: outcome.kind })
  await deps.db.inTenant(claimed.tenantId, (tx) => record(tx, deps, claimed, provider, outcome))
}

/** Each attempt of the schedule was claimed, and none of the last ones was recorded: their processes ended. */
const interrupted: SendOutcome = { kind: 'unavailable', reason: 'interrupted' }

/** The span of an attempt, in the trace of the request that queued the message. */
function sendInSpan(deps: DeliverDeps, provider: Provider, claimed: Claimed): Promise<SendOutcome> {
  const { traceId, communicationType } = claimed
  const attributes = { 'payments.message.provider': provider.name, 'payments.message.attempt': claimed.attemptCount }
  return inSpan(`send ${communicationType}`, { kind: 'client', traceId, attributes }, async (add) => {
    const outcome = await send(deps, provider, claimed)
    add({ 'payments.outcome': outcome.kind })
    return outcome
  })
}

async function send(deps: DeliverDeps, provider: Provider, claimed: Claimed): Promise<SendOutcome> {
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
  { queue, now }: Pick<DeliverDeps, 'queue' | 'now'>,
  claimed: Claimed,
  { name: provider }: Provider,
  outcome: SendOutcome,
): Promise<void> {
  const at = now()
  if (outcome.kind === 'accepted') {
    const { providerMessageId } = outcome
    return queue.end(tx, claimed, { provider, providerMessageId, sentAt: at }, at)
  }
  const nextAt = outcome.kind === 'unavailable' ? nextAttemptAt(claimed.attemptCount, at) : null
  if (nextAt !== null) return postpone(tx, queue.table, claimed, nextAt)
  const error =
    outcome.kind === 'refused'
      ? ({ code: 'refused', detail: outcome.detail } as const)
      : ({ code: 'provider_unavailable', detail: `${claimed.attemptCount} attempts failed` } as const)
  await queue.end(tx, claimed, { provider, error }, at)
}
