import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import type { Deps } from '../deps.ts'
import { type QueueTaskRequest, requireDeliveryIds, toMessageChoice } from '../domain/dead-letter/dead-letter.ts'
import { presentAccepted } from '../domain/dead-letter/task.ts'
import { requestTask } from '../store/dead-letter/tasks.ts'

/**
 * Redrives or discards the messages of a queue for an operator: dead letters by a task (dispatch/task-runner.ts),
 * quarantined messages at once. A dry run only counts. Throws queue_not_found, too_many_tasks, and invalid_request for
 * options that the queue does not support.
 */
export async function startQueueTask(
  { db, quarantine, log }: Deps,
  kind: 'redrive' | 'discard',
  queue: string,
  request: QueueTaskRequest,
) {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  const { by, dryRun, selection, reason } = request
  const logged = { actor: by, queue, dry_run: dryRun, selection, reason }
  if (queue === deadLettersName) {
    const letters = requireDeliveryIds(request)
    const accepted = await db.acrossTenants((tx) => requestTask(tx, null, kind, letters, by))
    log.info({ ...logged, ...accepted }, `${kind} requested`)
    return presentAccepted(accepted)
  }
  const count = await quarantine[kind](toMessageChoice(request))
  log.info({ ...logged, count }, `${kind} requested`)
  return presentAccepted({ count, countedAt: new Date() })
}
