import type { QueuedDeadLetter } from '@payments/contracts/endpoints/quarantine'
import {
  type Page,
  type PageQuery,
  pageAt,
  pageByName,
  positionBehind,
  positionInstant,
} from '@payments/contracts/grammar/page'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'
import { z } from 'zod'
import { deadLetterQueueNames, isDeadLetterQueueName } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import type { Deps } from '../deps.ts'
import { presentQueued } from '../domain/dead-letter/dead-letter.ts'
import { listOldestDead, oldestDeadAt } from '../store/dead-letter/dead-letters.ts'

/** The depth of the broker's queue, and the age of the oldest dead row. */
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

const deadPosition = z.tuple([positionInstant, z.uuid()])

interface PeekQuery extends PageQuery {
  readonly tenant_id?: string | undefined
}

/**
 * Dead deliveries are read from their rows, quarantined messages from their queue. Throws queue_not_found, and
 * invalid_request for the tenant of a quarantined message, which is not reliable.
 */
export async function peekQueue(deps: Deps, queue: string, query: PeekQuery): Promise<Page<QueuedDeadLetter>> {
  if (!isDeadLetterQueueName(queue)) throw new Problem(problems.queue_not_found)
  if (queue === deadLettersName) return peekDeadLetters(deps, query)
  if (query.tenant_id === undefined) return deps.quarantine.peek(query)
  const errors = [{ pointer: '/query/tenant_id', detail: 'is not supported for this queue' }]
  throw new Problem(commonProblems.invalid_request, { errors })
}

async function peekDeadLetters(deps: Deps, query: PeekQuery): Promise<Page<QueuedDeadLetter>> {
  const { limit, cursor, tenant_id: tenantId = null } = query
  const after = positionBehind(cursor, deadPosition)
  const rows = await deps.db.acrossTenants((tx) => listOldestDead(tx, tenantId, { after, limit }))
  return pageAt(rows, limit, ({ deadAt, id }) => [deadAt.toISOString(), id], presentQueued)
}
