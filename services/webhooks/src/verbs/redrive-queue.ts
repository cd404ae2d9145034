import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import type { Deps } from '../api/deps.ts'
import { isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import { type QueueOrder, withDeliveryIds } from '../domain/dead-letter.ts'
import { chosenMessages } from '../domain/quarantined.ts'
import { presentAccepted } from '../domain/task.ts'
import { beginDeadLetterTask } from '../store/tasks.ts'

/**
 * For operators: dead letters get a fresh schedule by a task of the dispatcher (tasks.ts); quarantined messages go back to the queue
 * they came from, at once. A dry run only counts.
 * Throws queue_not_found, too_many_tasks, and invalid_request for what the queue does not know.
 */
export async function redriveQueue(deps: Deps, queue: string, order: QueueOrder) {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  const { by, dryRun, selection, reason } = order
  const asked = { actor: by, queue, dry_run: dryRun, selection, reason }
  if (queue === deadLettersName) {
    const { db } = deps
    const letters = withDeliveryIds(order)
    const begun = await db.acrossTenants((tx) => beginDeadLetterTask(tx, null, 'redrive', letters, by))
    deps.log.info({ ...asked, ...begun }, 'redrive asked for')
    return presentAccepted(begun)
  }
  let count = 0
  await deps.deadLetters.browse(queue, async (messages) => {
    const chosen = chosenMessages(order, messages)
    count = chosen.length
    if (dryRun) return []
    await Promise.all(chosen.map((message) => deps.deadLetters.requeue(message)))
    return chosen
  })
  deps.log.info({ ...asked, count }, 'redrive asked for')
  return presentAccepted({ count })
}
