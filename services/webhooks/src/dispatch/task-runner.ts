import { isOutage } from '@payments/messaging/consume/outage'
import { countDueOutcomes, countedTasksMax } from '../store/dead-letter/task-outcomes.ts'
import { countFailedBatch, finishRunningTask, listDueTasks, nextTask } from '../store/dead-letter/tasks.ts'
import type { DispatcherDeps } from './deps.ts'
import { runBatch } from './task-batch.ts'

/** Due tasks of one run. */
const tasksMax = 20
/** Batches in a row, so that no task delays the others for long. */
const batchesMax = 20

/** When the next batch of a task is due. */
export const nextTaskRun = (db: Pick<DispatcherDeps['db'], 'crossTenant'>): Promise<number | null> =>
  nextTask(db.crossTenant)

/**
 * **What it does.** Runs tasks. A task redrives, discards or recovers more deliveries than one transaction may hold.
 * Then counts the outcomes of restarted deliveries (store/dead-letter/task-outcomes.ts).
 *
 * **Guarantees.**
 * 1. A batch is one transaction: it locks the task, changes some deliveries and adds their number to `done`. A killed
 *    process releases the lock, and any dispatcher continues.
 * 2. A cancellation waits for the batch in progress; no other follows.
 * 3. A task is done after its last batch, in any state of the broker.
 * 4. It is `failed` after ten failed batches in a row.
 *
 * **Not guaranteed.** That webhooks.dead-letters has been reconciled (reconcile.ts). That `done` reaches `total`. An
 * exact rate: `next_batch_at` delays whole batches.
 */
export async function runTasks(deps: DispatcherDeps): Promise<void> {
  const due = await deps.db.acrossTenants((tx) => listDueTasks(tx, tasksMax))
  for (const id of due) {
    try {
      await run(deps, id)
    } catch (err) {
      if (isOutage(err)) throw err
      await fail(deps, id, err)
    }
  }
  await countOutcomes(deps)
}

async function countOutcomes(deps: DispatcherDeps): Promise<void> {
  for (let count = 0; count < tasksMax; count += countedTasksMax) {
    const counted = await deps.db.acrossTenants(countDueOutcomes)
    for (const task of counted) if (task.isChanged) noteChange(deps, task)
    if (counted.length < countedTasksMax) return
  }
}

async function run(deps: DispatcherDeps, id: string): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const result = await runBatch(deps, id)
    if (result === 'waiting') return
    if (result === 'exhausted') {
      // A task that was canceled meanwhile stays canceled.
      noteChange(deps, await deps.db.acrossTenants((tx) => finishRunningTask(tx, id)))
      return
    }
  }
}

/** After a failure that is no outage, the batch is retried, at most ten times in a row. */
async function fail(deps: DispatcherDeps, id: string, err: unknown): Promise<void> {
  const counted = await deps.db.acrossTenants((tx) => countFailedBatch(tx, id))
  const failed = counted?.status === 'failed'
  if (failed) noteChange(deps, counted)
  deps.log.error({ err, task_id: id }, failed ? 'task failed' : 'batch of a task failed; it is retried')
}

function noteChange({ db }: DispatcherDeps, changed: { readonly tenantId: string | null } | undefined): void {
  if (changed?.tenantId != null) db.changes.note(changed.tenantId, 'tasks')
}
