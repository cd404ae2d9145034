import { actorName, type Caller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import type { Recovery } from '../domain/dead-letter/recovery.ts'
import { presentAccepted } from '../domain/dead-letter/task.ts'
import { countRecoverable, countUnmatched } from '../store/dead-letter/recovery.ts'
import { insertTask, requireFurtherTask } from '../store/dead-letter/tasks.ts'
import { findSubscription } from '../store/subscription/subscriptions.ts'

/**
 * Starts a task (dispatch/task-runner.ts) that restarts the dead, retrying and held deliveries of the subscription in a
 * range of time. Delivered and discarded deliveries stay as they are. A dry run only counts. Throws
 * subscription_not_found, subscription_disabled, too_many_tasks.
 */
export function recoverSubscription(
  deps: Deps,
  caller: Caller,
  businessUnitId: string,
  {
    dryRun,
    ratePerSecond,
    ...recovery
  }: Recovery & { readonly dryRun: boolean; readonly ratePerSecond: number | null },
) {
  const { tenantId } = caller
  const by = actorName(caller.actor)
  return once(deps.db, caller, async (tx) => {
    const subscription = await findSubscription(tx, tenantId, businessUnitId, recovery.subscriptionId)
    if (subscription === null) throw new Problem(problems.subscription_not_found)
    if (!subscription.enabled) throw new Problem(problems.subscription_disabled)
    if (!dryRun) await requireFurtherTask(tx, tenantId, by)
    const countedAt = await databaseNow(tx)
    const unmatched = recovery.includeUnmatched ? await countUnmatched(tx, tenantId, recovery) : 0
    const total = unmatched + (await countRecoverable(tx, tenantId, recovery))
    if (dryRun) return presentAccepted({ count: total, countedAt })
    const insert = { kind: 'recover' as const, selection: recovery, reason: null, ratePerSecond, total }
    return presentAccepted({ taskId: await insertTask(tx, tenantId, { ...insert, createdBy: by }) })
  })
}
