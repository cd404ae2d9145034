import { createTurns } from '@payments/chassis/database/turns'
import { type ClaimLoop, type DueRows, startClaimLoop } from '@payments/chassis/process/claim-loop'
import { type Claimed, claim } from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import { type DeliverDeps, deliver } from './deliver.ts'

/** Attempts the due messages of a queue (claim-loop.ts of the chassis). Each queue has a loop. */
export function startDeliveryLoop(deps: DeliverDeps): ClaimLoop {
  return startClaimLoop({
    name: deps.queue.table,
    ...dueMessages(deps),
    attempt: (claimed) => deliver(deps, claimed),
    logFields: ({ id, traceId }) => ({ communication_id: id, trace_id: traceId }),
    log: deps.log,
  })
}

export function dueMessages({ db, queue, now }: Pick<DeliverDeps, 'db' | 'queue' | 'now'>): DueRows<Tx, Claimed> {
  const { table } = queue
  return { db, turns: createTurns(table), claim: (tx, ids, leaseUntil) => claim(tx, table, ids, leaseUntil), now }
}
