import type { QueuedDeadLetter } from '@payments/contracts/endpoints/quarantine'
import { type Page, type PageQuery, pageAt, positionBehind, positionInstant } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { z } from 'zod'
import { isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import type { Deps } from '../deps.ts'
import { presentQueued } from '../domain/dead-letter.ts'
import { listOldestDead } from '../store/dead-letters.ts'

const deadPosition = z.tuple([positionInstant, z.uuid()])

/** Dead deliveries are read from their rows, quarantined messages from their queue. Throws queue_not_found. */
export async function peekQueue(deps: Deps, queue: string, query: PageQuery): Promise<Page<QueuedDeadLetter>> {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  return queue === deadLettersName ? peekDeadLetters(deps, query) : deps.quarantine.peek(query)
}

async function peekDeadLetters(deps: Deps, { limit, cursor }: PageQuery): Promise<Page<QueuedDeadLetter>> {
  const after = positionBehind(cursor, deadPosition)
  const rows = await deps.db.acrossTenants((tx) => listOldestDead(tx, null, { after, limit }))
  return pageAt(rows, limit, ({ deadAt, id }) => [deadAt.toISOString(), id], presentQueued)
}
