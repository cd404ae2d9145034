import type { Log } from '@payments/chassis/log'
import type { Transactions } from '@payments/chassis/transaction'
import type { DeadLetterQueues, WalkedMessage } from './dead-letter-queues.ts'
import type { Meters } from './meters.ts'
import { deadLettersName } from './queues.ts'
import type { Tx } from './store/database.ts'
import { deadAmong, listDeadIds } from './store/dead-deliveries.ts'

/**
 * Keeps webhooks.dead-letters equal to the dead rows, message for row. The rows are the truth: a message whose delivery is
 * not dead, or that another message stands for already, goes; a dead delivery without a message gets one.
 *
 * A worker commits the row first and publishes then, so a row is not missed before `graceMs`. Should a publication be even
 * later, its message is a duplicate that the next run removes. In a queue longer than a walk, only what was seen is judged.
 */
export interface Repaired {
  readonly removed: number
  readonly added: number
}

export interface ReconcileDeps {
  readonly db: Transactions<Tx>
  readonly deadLetters: Pick<DeadLetterQueues, 'walk' | 'bury'>
  readonly log: Log
  readonly meters: Pick<Meters, 'reconciled'>
}

const batch = 5_000
const batchesMax = 1_000
const noId = '00000000-0000-0000-0000-000000000000'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export async function reconcileDeadLetters(deps: ReconcileDeps, graceMs = 5_000): Promise<Repaired> {
  let removed = 0
  let added = 0
  await deps.deadLetters.walk(deadLettersName, async (messages, whole) => {
    const { kept, gone } = await judge(deps, messages)
    removed = gone.length
    if (whole) added = await addMissing(deps, kept, graceMs)
    return gone
  })
  deps.meters.reconciled('removed', removed)
  deps.meters.reconciled('added', added)
  if (removed + added > 0) deps.log.info({ removed, added }, 'dead letters reconciled')
  return { removed, added }
}

async function judge(
  { db }: ReconcileDeps,
  messages: readonly WalkedMessage[],
): Promise<{ kept: ReadonlySet<string>; gone: WalkedMessage[] }> {
  const ids = messages.map((message) => message.messageId).filter((id) => uuid.test(id))
  const dead = new Set<string>()
  for (let start = 0; start < ids.length; start += batch) {
    const found = await db.acrossTenants((tx) => deadAmong(tx, ids.slice(start, start + batch)))
    for (const id of found) dead.add(id)
  }
  const kept = new Set<string>()
  const gone = messages.filter(({ messageId }) => {
    if (!dead.has(messageId) || kept.has(messageId)) return true
    kept.add(messageId)
    return false
  })
  return { kept, gone }
}

async function addMissing(deps: ReconcileDeps, kept: ReadonlySet<string>, graceMs: number): Promise<number> {
  let added = 0
  let after = noId
  for (let turn = 0; turn < batchesMax; turn += 1) {
    const from = after
    const rows = await deps.db.acrossTenants((tx) => listDeadIds(tx, { after: from, graceMs, limit: batch }))
    const missing = rows.filter((row) => !kept.has(row.id))
    await Promise.all(missing.map((row) => deps.deadLetters.bury(row)))
    added += missing.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < batch) break
    after = last.id
  }
  return added
}
