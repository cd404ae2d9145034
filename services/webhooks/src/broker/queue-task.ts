import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'
import { type QueueTaskRequest, requireDeliveryIds, toMessageChoice } from '../domain/dead-letter.ts'
import { presentAccepted } from '../domain/task.ts'
import { startDeadLetterTask } from '../store/tasks.ts'
import { isDeadLetterQueueName } from './dead-letter-queues.ts'
import { deadLettersName } from './queues.ts'

/**
 * Redrives or discards the messages of a queue for an operator: dead letters by a task (dispatch/task-runner.ts),
 * quarantined messages at once. A dry run only counts. Throws queue_not_found, too_many_tasks, and invalid_request for
 * options that the queue does not support.
 */
export async function startQueueTask(
  { db, quarantine, log }: Deps,
  action: 'redrive' | 'discard',
  queue: string,
  request: QueueTaskRequest,
) {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  const { by, dryRun, selection, reason } = request
  const logged = { actor: by, queue, dry_run: dryRun, selection, reason }
  if (queue === deadLettersName) {
    const letters = requireDeliveryIds(request)
    const accepted = await db.acrossTenants((tx) => startDeadLetterTask(tx, null, action, letters, by))
    log.info({ ...logged, ...accepted }, `${action} requested`)
    return presentAccepted(accepted)
  }
  const count = await quarantine[action](toMessageChoice(request))
  log.info({ ...logged, count }, `${action} requested`)
  return presentAccepted({ count, countedAt: new Date() })
}
