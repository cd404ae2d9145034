import type { DispatcherDeps } from '../deps.ts'
import { countFailedTurn } from '../store/tasks.ts'

/** A turn failed for a reason that is no outage: it is tried again, ten times in a row at the most. */
export async function failTask(
  { db, log }: Pick<DispatcherDeps, 'db' | 'log'>,
  id: string,
  err: unknown,
): Promise<void> {
  const failed = await db.acrossTenants((tx) => countFailedTurn(tx, id))
  log.error({ err, task_id: id }, failed ? 'task failed' : 'turn of a task failed; it is tried again')
}
