import { actorName, type Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { insertTask, requireFurtherTask } from '../store/dead-letter/tasks.ts'
import { countHeld } from '../store/delivery/deliveries.ts'
import { findSubscription } from '../store/subscription/subscriptions.ts'

/**
 * Starts a task (dispatch/task-runner.ts) that discards the deliveries that are held for the subscription when the task
 * starts. Throws subscription_not_found, too_many_tasks.
 */
export function discardHeldDeliveries(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  subscriptionId: string,
  reason: string,
): Promise<{ task_id: string }> {
  const { tenantId } = caller
  const by = actorName(caller.actor)
  return once(deps.db, caller, async (tx) => {
    const subscription = await findSubscription(tx, tenantId, businessUnitId, subscriptionId)
    if (subscription === null) throw new Problem(problems.subscription_not_found)
    await requireFurtherTask(tx, tenantId, by)
    const total = await countHeld(tx, tenantId, subscriptionId)
    const insert = { kind: 'discard_held' as const, selection: { subscriptionId }, reason, ratePerSecond: null, total }
    return { task_id: await insertTask(tx, tenantId, { ...insert, createdBy: by }) }
  })
}
