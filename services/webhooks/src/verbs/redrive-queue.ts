import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import type { Deps } from '../deps.ts'
import { messageChoiceOf, type QueueTaskRequest, requireDeliveryIds } from '../domain/dead-letter.ts'
import { presentAccepted } from '../domain/task.ts'
import { startDeadLetterTask } from '../store/tasks.ts'

/**
 * For operators: restarts dead letters by a task (dispatch/task-runner.ts), and returns quarantined messages at once to
 * the queue that they came from. A dry run only counts. Throws queue_not_found, too_many_tasks, and invalid_request for
 * options that the queue does not support.
 */
export async function redriveQueue(deps: Deps, queue: string, request: QueueTaskRequest) {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  const { by, dryRun, selection, reason } = request
  const logged = { actor: by, queue, dry_run: dryRun, selection, reason }
  if (queue === deadLettersName) {
    const { db } = deps
    const letters = requireDeliveryIds(request)
    const accepted = await db.acrossTenants((tx) => startDeadLetterTask(tx, null, 'redrive', letters, by))
    deps.log.info({ ...logged, ...accepted }, 'redrive requested')
    return presentAccepted(accepted)
  }
  const count = await deps.quarantine.redrive(messageChoiceOf(request))
  deps.log.info({ ...logged, count }, 'redrive requested')
  return presentAccepted({ count })
}
