import { cursorAt, type Page, type PageQuery, positionBehind } from '@payments/contracts/page'
import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'
import type { QueuedDeadLetter } from '@payments/contracts/webhooks-dead-letters'
import { z } from 'zod'
import type { Deps } from '../api/deps.ts'
import { type DeadLetterQueueName, isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import { presentQueued } from '../domain/dead-letter.ts'
import { presentQuarantined } from '../domain/quarantined.ts'
import { listOldestDead } from '../store/dead-letters.ts'

const deadPosition = z.tuple([z.iso.datetime({ precision: 3 }), z.uuid()])
/** Number of messages before the page, and the id of the last of them. */
const queuePosition = z.tuple([z.int().min(1), z.string()])

/** Dead deliveries are read from their rows, quarantined messages from their queue. Throws queue_not_found. */
export async function peekQueue(deps: Deps, queue: string, query: PageQuery): Promise<Page<QueuedDeadLetter>> {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  return queue === deadLettersName ? peekDeadLetters(deps, query) : peekMessages(deps, queue, query)
}

async function peekDeadLetters(deps: Deps, { limit, cursor }: PageQuery): Promise<Page<QueuedDeadLetter>> {
  const after = positionBehind(cursor, deadPosition)
  const rows = await deps.db.acrossTenants((tx) => listOldestDead(tx, null, { after, limit }))
  const data = rows.slice(0, limit).map(presentQueued)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last !== undefined ? cursorAt([last.dead_at, last.id]) : null }
}

async function peekMessages(
  deps: Deps,
  queue: DeadLetterQueueName,
  { limit, cursor }: PageQuery,
): Promise<Page<QueuedDeadLetter>> {
  const after = positionBehind(cursor, queuePosition)
  let page: Page<QueuedDeadLetter> = { data: [], next_cursor: null }
  await deps.deadLetters.browse(queue, async (messages) => {
    // Messages before the page, or the last of them, may have been removed since the previous page.
    const found = after === undefined ? -1 : messages.findIndex(({ messageId }) => messageId === after[1])
    const from = found >= 0 ? found + 1 : (after?.[0] ?? 0)
    const end = from + limit
    const data = messages.slice(from, end).map(presentQuarantined)
    page = { data, next_cursor: messages.length > end ? cursorAt([end, data.at(-1)?.id ?? '']) : null }
    return []
  })
  return page
}
