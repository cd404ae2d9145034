import type { DispatcherDeps } from '../deps.ts'
import type { WorkItem } from '../domain/work-item.ts'

/** The destination has no slot free: into its line, where the delivery takes up no place of a worker. */
export async function lineUpDelivery(
  deps: Pick<DispatcherDeps, 'db' | 'egress'>,
  work: WorkItem,
  claimed: boolean,
): Promise<void> {
  deps.egress.traffic.lined(work)
  await deps.db.steps.lineUp(work, claimed)
}
