import type { DispatcherDeps } from '../deps.ts'
import type { WorkItem } from '../store/work.ts'

/** The destination has no slot free: back to the row for `waitMs`, where the delivery takes up no place of a worker. */
export async function postponeDelivery(
  deps: Pick<DispatcherDeps, 'db'>,
  work: WorkItem,
  waitMs: number,
): Promise<void> {
  await deps.db.steps.putBack(work, 'waiting', waitMs)
}
