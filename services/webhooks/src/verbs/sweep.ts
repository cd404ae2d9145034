import type { DispatcherDeps } from '../deps.ts'
import { lineUpDue } from '../store/line.ts'

const rowsMax = 500
const turnsMax = 20
const backlogMax = 1_000

/**
 * Takes up every delivery that is due and that nobody will come for: waits too long for the broker, attempts whose worker died, and
 * messages that never arrived. They go into the line of their destination, so that many at once stand in nobody's way. Because of
 * it a lost queue or a wiped broker heals by itself.
 *
 * A delivery whose message was sent is overdue after twice its delay. While many messages wait for workers, theirs probably
 * waits among them: sent again, it would only lengthen the queue. So then it is left alone, for 15 minutes at most.
 * `backlog` is the number of messages that wait. Returns how many deliveries were taken up.
 */
export async function sweep(deps: Pick<DispatcherDeps, 'db' | 'egress' | 'meters'>, backlog: number): Promise<number> {
  let swept = 0
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const due = await lineUpDue(deps.db.sql, { rowsMax, queuedToo: backlog < backlogMax })
    for (const receiver of due) deps.egress.traffic.lined(receiver)
    swept += due.length
    if (due.length < rowsMax) break
  }
  if (swept > 0) deps.egress.traffic.feeding.wake()
  deps.meters.swept(swept)
  return swept
}
