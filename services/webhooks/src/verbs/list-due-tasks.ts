import type { DispatcherDeps } from '../deps.ts'
import { listDueTasks as listDueTasksOf } from '../store/tasks.ts'

const tasksMax = 20

/** The tasks whose turn it is, who waits longest first. */
export function listDueTasks({ db }: Pick<DispatcherDeps, 'db'>): Promise<string[]> {
  return db.acrossTenants((tx) => listDueTasksOf(tx, tasksMax))
}
