import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import type { Deps } from '../deps.ts'
import { messageChoiceOf, type QueueTaskRequest, requireDeliveryIds } from '../domain/dead-letter.ts'
import { presentAccepted } from '../domain/task.ts'
import { startDeadLetterTask } from '../store/tasks.ts'

/**
 * For operators: discards dead letters by a task (dispatch/task-runner.ts), and removes quarantined messages at once. A
 * dry run only counts. Throws queue_not_found, too_many_tasks, and invalid_request for options that the queue does not
 * support.
 */
export async function discardQueue(deps: Deps, queue: string, request: QueueTaskRequest) {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  const { by, dryRun, selection, reason } = request
  const logged = { actor: by, queue, dry_run: dryRun, selection, reason }
  if (queue === deadLettersName) {
    const { db } = deps
    const letters = requireDeliveryIds(request)
    const accepted = await db.acrossTenants((tx) => startDeadLetterTask(tx, null, 'discard', letters, by))
    deps.log.info({ ...logged, ...accepted }, 'discard requested')
    return presentAccepted(accepted)
  }
  const count = await deps.quarantine.discard(messageChoiceOf(request))
  deps.log.info({ ...logged, count }, 'discard requested')
  return presentAccepted({ count })
}
