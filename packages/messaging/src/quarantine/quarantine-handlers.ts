import type { Log } from '@payments/chassis/observability/log'
import type { Handlers } from '@payments/chassis/request/router'
import { type quarantineEndpoints, queueProblems } from '@payments/contracts/endpoints/quarantine'
import { pageByName } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import type { Quarantine } from './quarantine.ts'

interface QuarantineContract {
  readonly service: string
  readonly description: string
  readonly endpoints: typeof quarantineEndpoints
  readonly problems: typeof queueProblems
  readonly events: Record<never, never>
}

/** Messages or events that wait for an operator: a queue of the broker, or rows of a service with the same methods. */
export interface QuarantineAccess extends Pick<Quarantine, 'depth' | 'peek' | 'redrive' | 'discard'> {
  readonly name: string
}

/** The handlers of `quarantineEndpoints`, the same in every service. Throws queue_not_found for another queue. */
export function quarantineHandlers(
  quarantines: QuarantineAccess | readonly QuarantineAccess[],
  log: Log,
): Handlers<QuarantineContract> {
  const all = [quarantines].flat()
  const requireQueue = (queue: string): QuarantineAccess => {
    const found = all.find(({ name }) => name === queue)
    if (found === undefined) throw new Problem(queueProblems.queue_not_found)
    return found
  }
  return {
    listDeadLetterQueues: async (_, { query }) => {
      const depths = all.map(async (one) => ({ name: one.name, depth: await one.depth(), oldest_at: null }))
      return pageByName(await Promise.all(depths), ({ name }) => name, query)
    },
    peekQueue: async (_, { params, query }) => requireQueue(params.queue).peek(query),
    redriveQueue: async (_, { params, body: { operator, ids, dry_run: dryRun } }) => {
      const count = await requireQueue(params.queue).redrive({ ids, dryRun })
      log.info({ operator, queue: params.queue, ids, dry_run: dryRun, count }, 'redrive requested')
      return { count }
    },
    discardQueue: async (_, { params, body: { operator, ids, dry_run: dryRun, reason } }) => {
      const count = await requireQueue(params.queue).discard({ ids, dryRun })
      log.info({ operator, queue: params.queue, ids, dry_run: dryRun, reason, count }, 'discard requested')
      return { count }
    },
  }
}
