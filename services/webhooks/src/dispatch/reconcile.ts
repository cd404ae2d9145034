import type { Transactions } from '@payments/chassis/database/transaction'
import type { BrowsedMessage, Rest } from '@payments/messaging/quarantine/queue-browser'
import type { DeadLetterQueues } from '../broker/dead-letter-queues.ts'
import { deadLettersName } from '../broker/queues.ts'
import type { Tx } from '../store/database.ts'
import { countDeadRows, listDeadAmong, listDeadRows } from '../store/dead-letter/dead-letters.ts'
import type { DispatcherDeps } from './deps.ts'

interface ReconcileDeps extends Pick<DispatcherDeps, 'log' | 'metrics'> {
  readonly db: Transactions<Tx>
  readonly deadLetters: Pick<DeadLetterQueues, 'browse' | 'publishDeadLetter' | 'messagesMax'>
}

const batch = 5_000
/** Messages that a run adds: other readers of the queue wait for it. */
const addedMax = 10_000
/** Unconfirmed messages: few in the window of the publisher, which retries share. */
const publishingMax = 100
const noId = '00000000-0000-0000-0000-000000000000'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * **What it does.** Keeps webhooks.dead-letters equal to the dead rows, one message per row. A run removes messages of
 * deliveries that are not dead, and duplicates, and publishes missing ones.
 *
 * **Participants.** A worker publishes the dead letter after it has committed the dead row (deliver.ts). All else
 * changes rows only.
 *
 * **Guarantees.** A run changes no row. It adds only to a queue that it sees whole, up to what one browse takes: the
 * next run sees it. A message is missing `graceMs` after its row was written. A crash requeues every browsed message.
 *
 * **Not guaranteed.** One message per row beyond one browse. If half of a longer queue is surplus, a run removes
 * what it does not see.
 */
export async function reconcileDeadLetters(deps: ReconcileDeps, graceMs = 5_000) {
  let removed = 0
  let missing: Missing = { added: 0, failure: null }
  await deps.deadLetters.browse(deadLettersName, async (messages, rest) => {
    const { present, surplus } = await compare(deps, messages)
    removed = surplus.length
    if (rest.count > 0) removed += await removeRest(deps, messages.length - surplus.length, rest)
    else missing = await addMissing(deps, present, graceMs)
    return surplus
  })
  const { added, failure } = missing
  deps.metrics.reconciled.inc({ repair: 'removed' }, removed)
  deps.metrics.reconciled.inc({ repair: 'added' }, added)
  if (removed + added > 0) deps.log.info({ removed, added }, 'dead letters reconciled')
  if (failure !== null) throw failure
  return { removed, added }
}

/** Returns the number of removed messages. */
async function removeRest({ db }: ReconcileDeps, seen: number, rest: Rest): Promise<number> {
  const half = Math.floor((seen + rest.count) / 2)
  if ((await db.acrossTenants((tx) => countDeadRows(tx, half + 1))) > half) return 0
  await rest.remove()
  return rest.count
}

async function compare(
  { db }: ReconcileDeps,
  messages: readonly BrowsedMessage[],
): Promise<{ present: ReadonlySet<string>; surplus: BrowsedMessage[] }> {
  const ids = messages.map((message) => message.messageId).filter((id) => uuid.test(id))
  const dead = new Set<string>()
  for (let start = 0; start < ids.length; start += batch) {
    const found = await db.acrossTenants((tx) => listDeadAmong(tx, ids.slice(start, start + batch)))
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

interface Missing {
  readonly added: number
  /** Why no more were added. */
  readonly failure: unknown
}

/** After a failure the browse continues: its surplus is removed. */
async function addMissing(deps: ReconcileDeps, present: ReadonlySet<string>, graceMs: number): Promise<Missing> {
  const { db, deadLetters } = deps
  const capacity = Math.min(addedMax, deadLetters.messagesMax - present.size)
  let added = 0
  let after: string | undefined = noId
  while (after !== undefined && added < capacity) {
    const from: string = after
    const rows = await db.acrossTenants((tx) => listDeadRows(tx, { after: from, graceMs, limit: batch }))
    const missing = rows.filter((row) => !present.has(row.id)).slice(0, capacity - added)
    for (let start = 0; start < missing.length; start += publishingMax) {
      const slice = missing.slice(start, start + publishingMax)
      const results = await Promise.allSettled(slice.map((row) => deadLetters.publishDeadLetter(row)))
      added += results.filter(({ status }) => status === 'fulfilled').length
      const failed = results.find((result) => result.status === 'rejected')
      if (failed !== undefined) return { added, failure: failed.reason }
    }
    after = rows.length < batch ? undefined : rows.at(-1)?.id
  }
  return { added, failure: null }
}
