import { type PageQuery, pageByName } from '@payments/contracts/page'
import type { Deps } from '../api/deps.ts'
import { deadLetterQueueNames } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import { oldestDeadAt } from '../store/dead-deliveries.ts'

/** The depth is the broker's, so that operators see what is there; the age is the oldest dead row's. */
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
