import { Problem } from '@payments/contracts/problem'
import { type DeadLetter, problems } from '@payments/contracts/webhooks'
import { isDeadLetterQueueName } from '../dead-letter-queues.ts'
import type { Deps } from '../deps.ts'
import { presentDeadLetter } from '../domain/delivery.ts'
import { presentQuarantined } from '../domain/quarantined.ts'
import { deadLettersName } from '../queues.ts'
import { listDead } from '../store/dead-deliveries.ts'

/** Dead deliveries are read from their rows, quarantined messages from their queue. Throws queue_not_found. */
export async function peekDeadLetters(deps: Deps, queue: string, limit: number): Promise<{ data: DeadLetter[] }> {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  if (queue === deadLettersName) {
    const rows = await deps.db.acrossTenants((tx) => listDead(tx, limit))
    return { data: rows.map((row) => presentDeadLetter(row, row.destinationUrl)) }
  }
  let data: DeadLetter[] = []
  await deps.deadLetters.walk(queue, async (messages) => {
    data = messages.slice(0, limit).map(presentQuarantined)
    return []
  })
  return { data }
}
