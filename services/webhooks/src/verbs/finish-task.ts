import type { DispatcherDeps } from '../deps.ts'
import { finishRunningTask } from '../store/tasks.ts'

/** Nothing is left to do, and the queue of dead letters shows it. A task canceled meanwhile stays so. */
export function finishTask({ db }: Pick<DispatcherDeps, 'db'>, id: string): Promise<void> {
  return db.acrossTenants((tx) => finishRunningTask(tx, id))
}
