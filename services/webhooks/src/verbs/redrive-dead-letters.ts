import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import { changeDeadDeliveries } from '../dead-letter-batches.ts'
import { isDeadLetterQueueName } from '../dead-letter-queues.ts'
import type { Deps } from '../deps.ts'
import { type Choice, chosenDeliveries } from '../domain/dead-letter-choice.ts'
import { deadLettersName } from '../queues.ts'
import { redriveDead } from '../store/dead-deliveries.ts'

/**
 * Dead deliveries get a fresh schedule, begun at the sweeper's next turn; quarantined messages go back to the queue they came
 * from. Throws queue_not_found.
 */
export async function redriveDeadLetters(deps: Deps, queue: string, choice: Choice): Promise<{ redriven: number }> {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  if (queue === deadLettersName) {
    const ids = chosenDeliveries(choice)
    return { redriven: await changeDeadDeliveries(deps, (tx, rowsMax) => redriveDead(tx, ids, rowsMax)) }
  }
  let redriven = 0
  await deps.deadLetters.walk(queue, async (messages) => {
    const chosen = messages.filter(({ messageId }) => choice.ids?.includes(messageId) ?? true)
    await Promise.all(chosen.map((message) => deps.deadLetters.sendBack(message)))
    redriven = chosen.length
    return chosen
  })
  return { redriven }
}
