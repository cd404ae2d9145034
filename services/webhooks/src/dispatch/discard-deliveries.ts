import { databaseNow } from '@payments/chassis/database/database-now'
import { runDueBatches } from '@payments/chassis/database/due-batches'
import type { Turns } from '@payments/chassis/database/turns'
import type { Log } from '@payments/chassis/observability/log'
import type { Database, Tx } from '../store/database.ts'
import * as deliveries from '../store/delivery/delivery-state.ts'
import {
  continueSubscriptionDiscard,
  deleteTombstone,
  listDeliveriesAfter,
  newestDeliveryAt,
  readSubscriptionDiscard,
  restartSubscriptionDiscard,
  type SubscriptionDiscard,
} from '../store/subscription/subscription-discards.ts'

/** Deliveries that one transaction looks at. The steps of other tenants wait for the locks of one batch at most. */
const rowsMax = 500
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** No process has matched an event with a subscription so long ago, and has not stored the delivery. */
const tombstoneMsMin = hourMs

/**
 * **What it does.** Discards the unfinished deliveries of deleted subscriptions, dead ones included. Deletes the
 * tombstone of a subscription without deliveries, an hour after the deletion or when the last delivery has expired.
 *
 * **Participants.** `subscription_discards`, which a deletion writes; claims (store/delivery/claim.ts), which discard
 * too.
 *
 * **Guarantees.**
 * 1. A batch is one transaction of `rowsMax` deliveries. A killed process leaves the position of the last one.
 * 2. Tenants take turns of one batch. A subscription whose batch fails is due again later.
 * 3. A tombstone is deleted in a transaction that finds no delivery.
 *
 * **Not guaranteed.** That a delivery is discarded at once: until its batch it is listed with its earlier status.
 *
 * Returns the tenants whose deliveries have changed.
 */
export async function runSubscriptionDiscards(
  deps: { readonly db: Database; readonly log: Pick<Log, 'error'> },
  turns: Turns,
  retentionDays: number,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>()
  await runDueBatches(deps, {
    table: 'subscription_discards',
    turns,
    runBatch: async (tx: Tx, id) => {
      const tenantId = await discardBatch(tx, id, retentionDays)
      if (tenantId !== null) changed.add(tenantId)
    },
  })
  return changed
}

/** Returns the tenant. Null: no delivery has changed. */
async function discardBatch(tx: Tx, id: string, retentionDays: number): Promise<string | null> {
  const discard = await readSubscriptionDiscard(tx, id)
  const { tenantId, position } = discard
  const rows = await listDeliveriesAfter(tx, tenantId, id, { after: position, rowsMax })
  const unfinished = rows.filter(({ isFinal }) => !isFinal).map((row) => row.id)
  if (unfinished.length > 0) await deliveries.discardDeliveriesOfDeleted(tx, tenantId, unfinished)
  const last = rows.at(-1)?.id
  const isEnd = last === undefined || rows.length < rowsMax
  await (isEnd ? endDiscard(tx, discard, retentionDays) : continueSubscriptionDiscard(tx, discard, last))
  return unfinished.length === 0 ? null : tenantId
}

async function endDiscard(tx: Tx, discard: SubscriptionDiscard, retentionDays: number): Promise<void> {
  const now = await databaseNow(tx)
  const newestAt = await newestDeliveryAt(tx, discard.tenantId, discard.id)
  const goneAt =
    newestAt === null ? 0 : Math.max(newestAt.getTime() + (retentionDays + 1) * dayMs, now.getTime() + dayMs)
  const dueAt = new Date(Math.max(goneAt, discard.deletedAt.getTime() + tombstoneMsMin))
  await (dueAt <= now ? deleteTombstone(tx, discard) : restartSubscriptionDiscard(tx, discard, dueAt))
}
