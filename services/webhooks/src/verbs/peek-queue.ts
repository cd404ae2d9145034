import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import type { QueuedDeadLetter } from '@payments/contracts/webhooks-dead-letters'
import { isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import type { Deps } from '../api/deps.ts'
import { presentQueued } from '../domain/dead-letter.ts'
import { presentQuarantined } from '../domain/quarantined.ts'
import { deadLettersName } from '../broker/queues.ts'
import { listOldestDead } from '../store/dead-letters.ts'

/** Dead deliveries are read from their rows, quarantined messages from their queue. Throws queue_not_found. */
export async function peekQueue(deps: Deps, queue: string, limit: number): Promise<{ data: QueuedDeadLetter[] }> {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  if (queue === deadLettersName) {
    const rows = await deps.db.acrossTenants((tx) => listOldestDead(tx, null, limit))
    return { data: rows.map(presentQueued) }
  }
  let data: QueuedDeadLetter[] = []
  await deps.deadLetters.browse(queue, async (messages) => {
    data = messages.slice(0, limit).map(presentQuarantined)
    return []
  })
  return { data }
}
