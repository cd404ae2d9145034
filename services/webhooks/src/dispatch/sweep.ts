import { enqueueBacklogOverdue } from '../store/delivery-state.ts'
import type { DispatcherDeps, Egress } from './deps.ts'

const rowsMax = 500
const batchesMax = 20
const queueDepthMax = 1_000
const beginning = new Date(0)

/**
 * **What it does.** Adds overdue deliveries to the backlog of their destination: waits without a retry queue, attempts
 * whose worker was killed, and deliveries whose published message never arrived.
 *
 * **Participants.** Every statement that makes a delivery wait outside of a backlog sets `sweep_at`
 * (store/delivery-state.ts). The sweeper reads it once a second, in each dispatcher. The backlog dispatcher claims what
 * the sweeper adds.
 *
 * **Guarantees.**
 * 1. A CHECK constraint requires `sweep_at` of every delivery that waits outside of a backlog. So a lost message, a
 *    deleted queue or a wiped broker delays deliveries and loses none.
 * 2. A delivery with a published message is overdue after twice its delay, and at least 10 s after it
 *    (domain/retry-policy.ts). While `queueDepthMax` messages wait for workers, its message probably waits among them:
 *    then the sweeper leaves it for up to 15 more minutes.
 * 3. A batch reads a window of 10 000 overdue deliveries, in which tenants take turns. The next batch reads the next
 *    window. So a run passes 200 000 deliveries of one tenant to find those of another one.
 * 4. Several sweepers share the rows; none waits for another one. A run has at most `batchesMax` batches.
 *
 * **Not guaranteed.** That a message is lost when the sweeper acts. The claim decides which of the two makes the
 * attempt. Order.
 *
 * The function that is returned makes one run, which continues where the last one ended, and returns the number of
 * deliveries.
 */
export function createSweep(
  deps: Pick<DispatcherDeps, 'db' | 'metrics'> & { readonly egress: Pick<Egress, 'limits'> },
): (queueDepth: number) => Promise<number> {
  const { limits } = deps.egress
  let after = beginning
  return async (queueDepth) => {
    const options = { rowsMax, includePublished: queueDepth < queueDepthMax }
    let swept = 0
    let pass = { isLeft: after !== beginning, swept: 0 }
    for (let batch = 0; batch < batchesMax; batch += 1) {
      const window = { ...options, after }
      const found = await deps.db.acrossTenants((tx) => enqueueBacklogOverdue(tx, window))
      for (const subscriptionId of found.subscriptionIds) limits.markBacklogged({ subscriptionId })
      swept += found.subscriptionIds.length
      pass = { isLeft: pass.isLeft || found.isLeft, swept: pass.swept + found.subscriptionIds.length }
      after = found.continueAfter ?? beginning
      if (after !== beginning) continue
      // After a pass that moved nothing, another sweeper has locked the rest.
      if (!pass.isLeft || pass.swept === 0) break
      pass = { isLeft: false, swept: 0 }
    }
    if (swept > 0) limits.backlogSignal.wake()
    deps.metrics.swept(swept)
    return swept
  }
}
