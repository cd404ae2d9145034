import type { QueuedDeadLetter } from '@payments/contracts/endpoints/quarantine'
import { cursorAt, type Page, type PageQuery, positionBehind } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { z } from 'zod'
import type { Deps } from '../api/deps.ts'
import { isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import { presentQueued } from '../domain/dead-letter.ts'
import { listOldestDead } from '../store/dead-letters.ts'

const deadPosition = z.tuple([z.iso.datetime({ precision: 3 }), z.uuid()])

/** Dead deliveries are read from their rows, quarantined messages from their queue. Throws queue_not_found. */
export async function peekQueue(deps: Deps, queue: string, query: PageQuery): Promise<Page<QueuedDeadLetter>> {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  return queue === deadLettersName ? peekDeadLetters(deps, query) : deps.quarantine.peek(query)
}

async function peekDeadLetters(deps: Deps, { limit, cursor }: PageQuery): Promise<Page<QueuedDeadLetter>> {
  const after = positionBehind(cursor, deadPosition)
  const rows = await deps.db.acrossTenants((tx) => listOldestDead(tx, null, { after, limit }))
  const data = rows.slice(0, limit).map(presentQueued)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last !== undefined ? cursorAt([last.dead_at, last.id]) : null }
}
