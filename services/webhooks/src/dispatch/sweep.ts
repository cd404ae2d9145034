import { enqueueBacklogOverdue, nextOverdue } from '../store/delivery/delivery-state.ts'
import type { DispatcherDeps } from './deps.ts'

const rowsMax = 500
const batchesMax = 20
const queueDepthMax = 1_000
const beginning = new Date(0)

/** When a sweep finds the next delivery. */
export const nextSweep = (db: Pick<DispatcherDeps['db'], 'pipelined'>): Promise<number | null> => nextOverdue(db)

/**
 * **What it does.** Adds overdue deliveries to the backlog of their destination: waits without a retry queue, attempts
 * whose worker was killed, deliveries whose message never arrived.
 *
 * **Participants.** Every statement that makes a delivery wait outside of a backlog sets `sweep_at`; a CHECK constraint
 * requires it. Each dispatcher sweeps then.
 *
 * **Guarantees.**
 * 1. A lost message, a deleted queue or a wiped broker delays deliveries and loses none.
 * 2. A delivery with a message is overdue after twice its delay, at least 10 s after it.
 * 3. In a batch tenants take turns; a run has at most `batchesMax`. Several sweepers share the rows.
 *
 * **Not guaranteed.** That a message is lost when the sweeper acts: the claim decides. Order.
 */
export function createSweep(
  deps: Pick<DispatcherDeps, 'db' | 'metrics' | 'limits'>,
): (queueDepth: number | undefined) => Promise<number> {
  const { limits } = deps
  let after = beginning
  return async (queueDepth) => {
    const options = { rowsMax, includePublished: queueDepth !== undefined && queueDepth < queueDepthMax }
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
    deps.metrics.swept.inc(swept)
    return swept
  }
}
