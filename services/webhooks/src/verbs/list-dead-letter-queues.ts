import { type PageQuery, pageByName } from '@payments/contracts/grammar/page'
import { deadLetterQueueNames } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import type { Deps } from '../deps.ts'
import { oldestDeadAt } from '../store/dead-deliveries.ts'

/** The depth is that of the broker's queue, the age that of the oldest dead row. */
export async function listDeadLetterQueues(deps: Deps, query: PageQuery) {
  const oldest = await deps.db.acrossTenants(oldestDeadAt)
  const data = await Promise.all(
    deadLetterQueueNames.map(async (name) => ({
      name,
      depth: await deps.deadLetters.depth(name),
      oldest_at: name === deadLettersName ? (oldest?.toISOString() ?? null) : null,
    })),
  )
  return pageByName(data, ({ name }) => name, query)
}
