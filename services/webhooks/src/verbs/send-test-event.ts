import type { Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems, webhooks } from '@payments/contracts/services/webhooks/contract'
import type { WrittenEvent } from '@payments/messaging/outbox/event-row'
import { handOver } from '@payments/messaging/outbox/hand-over'
import { type Emission, emit, eventRow } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { testEventType } from '../domain/event-type.ts'
import { lockSubscription, testEventStatement } from '../store/subscriptions.ts'

/**
 * The test event takes the path of every event: outbox, exchange, fan-out, delivery, retries. Its first attempt is made
 * also while the subscription is disabled or the breaker open (dispatch/create-deliveries.ts). Throws
 * subscription_not_found.
 */
export async function sendTestEvent(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
): Promise<{ tenant_event_id: string }> {
  const { tenantId, traceId } = caller
  const payload = { subscription_id: subscriptionId, message: 'A test event, requested through the API.' }
  const emission = { type: testEventType, tenantId, businessUnitId, traceId, payload } as const
  const sent = await sendAtOnce(deps, caller, subscriptionId, emission)
  if (sent !== undefined) return sent
  return once(deps.db, caller, async (tx) => {
    const subscription = await lockSubscription(tx, tenantId, businessUnitId, subscriptionId)
    if (subscription === null) throw new Problem(problems.subscription_not_found)
    return { tenant_event_id: await emit(tx, webhooks.events, emission) }
  })
}

/** Writes the event by one statement. Undefined when it wrote nothing: no new key, or no such subscription. */
async function sendAtOnce(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  subscriptionId: string,
  emission: Emission<typeof webhooks.events, 'webhooks.test'>,
): Promise<{ tenant_event_id: string } | undefined> {
  const event = eventRow(db.commits, webhooks.events, emission)
  const reply = { tenant_event_id: event.id }
  const [[written] = []] = await db.pipelined<WrittenEvent[][]>(caller.tenantId, [
    testEventStatement(caller.tenantId, caller, subscriptionId, { event, reply }),
  ])
  if (written === undefined) return undefined
  handOver(db.commits, event, written)
  return reply
}
