import { enqueueOverdue } from '../store/delivery-state.ts'
import type { DispatcherDeps } from './deps.ts'

const rowsMax = 500
const batchesMax = 20
const queueDepthMax = 1_000

/**
 * What it does: adds overdue deliveries to the backlog of their destination. They are waits too long for the broker,
 * attempts whose worker was killed, and messages that never arrived. So a lost queue or a wiped broker recovers by
 * itself.
 *
 * A queued delivery is overdue after twice its delay, and at least 10 s after it. While `queueDepth` messages wait for workers, the message of
 * that delivery probably waits among them. Then queued deliveries are left alone, for at most 15 minutes.
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
    const due = await enqueueOverdue(deps.db.sql, { rowsMax, includeQueued: queueDepth < queueDepthMax })
    for (const destination of due) limits.markBacklogged(destination)
    swept += due.length
    if (due.length < rowsMax) break
  }
  if (swept > 0) limits.backlogSignal.wake()
  deps.metrics.swept(swept)
  return swept
}
