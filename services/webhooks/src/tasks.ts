import { isOutage } from '@payments/messaging/outage'
import type { DeadLetterQueues } from './dead-letter-queues.ts'
import type { DispatcherDeps } from './deps.ts'
import { reconcileDeadLetters } from './reconcile.ts'
import { advanceTask } from './verbs/advance-task.ts'
import { failTask } from './verbs/fail-task.ts'
import { finishTask } from './verbs/finish-task.ts'
import { listDueTasks } from './verbs/list-due-tasks.ts'

/**
 * Tasks: work on more deliveries than one transaction may hold, asked for by a tenant or an operator.
 *
 * People: a verb of the API writes the task; the dispatchers, each twice a second, take turns at it; whoever asked reads
 * how far it is, or cancels it.
 *
 * A turn is one transaction (advance-task.ts): it locks the task's row, changes some deliveries, and adds them to `done`. So
 * the lock is the lease, and is let go by whoever is killed; progress and work are committed together, so nothing is counted
 * twice or not at all; the next turn, anybody's, goes on with what is left. The rate is kept by the row's `next_turn_at`. A
 * cancellation waits for the turn in work, and no other follows.
 *
 * When nothing is left, webhooks.dead-letters is brought in line first, and then the task is done: who sees it done finds the
 * queue right. While the broker is away a task stays running.
 *
 * Not promised: that `done` reaches `total`, since others may redrive, discard or deliver the same; nor a rate to the second.
 */
const turnsMax = 20

export async function runTasks(deps: DispatcherDeps, deadLetters: DeadLetterQueues): Promise<void> {
  for (const id of await listDueTasks(deps)) {
    try {
      await run(deps, deadLetters, id)
    } catch (err) {
      if (isOutage(err)) throw err
      await failTask(deps, id, err)
    }
  }
}

/** Some turns, so that no task keeps the others waiting for long. */
async function run(deps: DispatcherDeps, deadLetters: DeadLetterQueues, id: string): Promise<void> {
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const advance = await advanceTask(deps, id)
    if (advance === 'waits') return
    if (advance === 'exhausted') {
      await reconcileDeadLetters({ ...deps, deadLetters })
      await finishTask(deps, id)
      return
    }
  }
}
