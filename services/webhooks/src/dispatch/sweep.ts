import { enqueueBacklogOverdue } from '../store/delivery-state.ts'
import type { DispatcherDeps } from './deps.ts'

const rowsMax = 500
const batchesMax = 20
const queueDepthMax = 1_000

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
 * 3. Several sweepers share the rows, and a run has at most `batchesMax` batches.
 *
 * **Not guaranteed.** That a message is lost when the sweeper acts. The claim decides which of the two makes the
 * attempt.
 *
 * Returns the number of deliveries.
 */
export async function sweep(
  deps: Pick<DispatcherDeps, 'db' | 'egress' | 'metrics'>,
  queueDepth: number,
): Promise<number> {
  const { limits } = deps.egress
  let swept = 0
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const due = await enqueueBacklogOverdue(deps.db.sql, { rowsMax, includePublished: queueDepth < queueDepthMax })
    for (const destination of due) limits.markBacklogged(destination)
    swept += due.length
    if (due.length < rowsMax) break
  }
  if (swept > 0) limits.backlogSignal.wake()
  deps.metrics.swept(swept)
  return swept
}
