import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import { changeDeadDeliveries } from '../dead-letter-batches.ts'
import { isDeadLetterQueueName } from '../dead-letter-queues.ts'
import type { Deps } from '../deps.ts'
import { type Choice, chosenDeliveries } from '../domain/dead-letter-choice.ts'
import { deadLettersName } from '../queues.ts'
import { discardDead } from '../store/dead-deliveries.ts'

/** Gives them up for good; deliveries stay readable as discarded. Throws queue_not_found. */
export async function discardDeadLetters(deps: Deps, queue: string, choice: Choice): Promise<{ discarded: number }> {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  if (queue === deadLettersName) {
    const ids = chosenDeliveries(choice)
    return { discarded: await changeDeadDeliveries(deps, (tx, rowsMax) => discardDead(tx, ids, rowsMax)) }
  }
  let discarded = 0
  await deps.deadLetters.walk(queue, async (messages) => {
    const chosen = messages.filter(({ messageId }) => choice.ids?.includes(messageId) ?? true)
    discarded = chosen.length
    return chosen
  })
  return { discarded }
}
