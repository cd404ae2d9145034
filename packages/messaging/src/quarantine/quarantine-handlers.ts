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

/** The part of the quarantine that the handlers call. */
export type QuarantineAccess = Pick<Quarantine, 'name' | 'depth' | 'peek' | 'redrive' | 'discard'>

/** The handlers of `quarantineEndpoints`, the same in every service. Throws queue_not_found for another queue. */
export function quarantineHandlers(quarantine: QuarantineAccess, log: Log): Handlers<QuarantineContract> {
  const requireQueue = (queue: string) => {
    if (queue !== quarantine.name) throw new Problem(queueProblems.queue_not_found)
  }
  return {
    listDeadLetterQueues: async (_, { query }) => {
      const queue = { name: quarantine.name, depth: await quarantine.depth(), oldest_at: null }
      return pageByName([queue], ({ name }) => name, query)
    },
    peekQueue: async (_, { params, query }) => {
      requireQueue(params.queue)
      return quarantine.peek(query)
    },
    redriveQueue: async (_, { params, body: { operator, ids, dry_run: dryRun } }) => {
      requireQueue(params.queue)
      const count = await quarantine.redrive({ ids, dryRun })
      log.info({ operator, queue: params.queue, ids, dry_run: dryRun, count }, 'redrive requested')
      return { count }
    },
    discardQueue: async (_, { params, body: { operator, ids, dry_run: dryRun, reason } }) => {
      requireQueue(params.queue)
      const count = await quarantine.discard({ ids, dryRun })
      log.info({ operator, queue: params.queue, ids, dry_run: dryRun, reason, count }, 'discard requested')
      return { count }
    },
  }
}
