import type { Transactions } from '@payments/chassis/database/transaction'
import type { Log } from '@payments/chassis/observability/log'
import type { BrowsedMessage } from '@payments/messaging/quarantine/queue-browser'
import type { DeadLetterQueues } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import type { Tx } from '../store/database.ts'
import { deadAmong, listDeadRows } from '../store/dead-deliveries.ts'
import type { DispatchMetrics } from './metrics.ts'

/** The messages that a run removed and added. */
export interface Repaired {
  readonly removed: number
  readonly added: number
}

export interface ReconcileDeps {
  readonly db: Transactions<Tx>
  readonly deadLetters: Pick<DeadLetterQueues, 'browse' | 'publishDeadLetter'>
  readonly log: Log
  readonly metrics: Pick<DispatchMetrics, 'reconciled'>
}

const batch = 5_000
const batchesMax = 1_000
const noId = '00000000-0000-0000-0000-000000000000'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * **What it does.** Keeps webhooks.dead-letters equal to the dead rows, one message per row. A run removes messages of
 * deliveries that are not dead, and duplicates, and publishes missing messages.
 *
 * **Participants.** A worker publishes the dead letter after it has committed the dead row (deliver.ts). Redrive,
 * retry, discard, deletion and retention change rows only.
 *
 * **Guarantees.** The rows are the source of truth: a run changes no row. A message counts as missing `graceMs` after
 * its row was written, so that the worker can publish it. The next run removes a duplicate. A crash requeues every
 * browsed message.
 *
 * **Not guaranteed.** Missing messages of a queue longer than one browse: a run compares only the browsed messages, and
 * then adds none.
 */
export async function reconcileDeadLetters(deps: ReconcileDeps, graceMs = 5_000): Promise<Repaired> {
  let removed = 0
  let added = 0
  await deps.deadLetters.browse(deadLettersName, async (messages, whole) => {
    const { present, surplus } = await compare(deps, messages)
    removed = surplus.length
    if (whole) added = await addMissing(deps, present, graceMs)
    return surplus
  })
  deps.metrics.reconciled('removed', removed)
  deps.metrics.reconciled('added', added)
  if (removed + added > 0) deps.log.info({ removed, added }, 'dead letters reconciled')
  return { removed, added }
}

async function compare(
  { db }: ReconcileDeps,
  messages: readonly BrowsedMessage[],
): Promise<{ present: ReadonlySet<string>; surplus: BrowsedMessage[] }> {
  const ids = messages.map((message) => message.messageId).filter((id) => uuid.test(id))
  const dead = new Set<string>()
  for (let start = 0; start < ids.length; start += batch) {
    const found = await db.acrossTenants((tx) => deadAmong(tx, ids.slice(start, start + batch)))
    for (const id of found) dead.add(id)
  }
  const present = new Set<string>()
  const surplus = messages.filter(({ messageId }) => {
    if (!dead.has(messageId) || present.has(messageId)) return true
    present.add(messageId)
    return false
  })
  return { present, surplus }
}

async function addMissing(deps: ReconcileDeps, present: ReadonlySet<string>, graceMs: number): Promise<number> {
  let added = 0
  let after = noId
  for (let index = 0; index < batchesMax; index += 1) {
    const from = after
    const rows = await deps.db.acrossTenants((tx) => listDeadRows(tx, { after: from, graceMs, limit: batch }))
    const missing = rows.filter((row) => !present.has(row.id))
    await Promise.all(missing.map((row) => deps.deadLetters.publishDeadLetter(row)))
    added += missing.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < batch) break
    after = last.id
  }
  return added
}
