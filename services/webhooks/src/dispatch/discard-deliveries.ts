import type { Turns } from '@payments/chassis/database/turns'
import type { Log } from '@payments/chassis/observability/log'
import type { Database, Tx } from '../store/database.ts'
import { discardDeliveriesOf } from '../store/delivery-state.ts'
import {
  continueSubscriptionDiscard,
  endSubscriptionDiscard,
  postponeSubscriptionDiscard,
  readSubscriptionDiscard,
} from '../store/subscription-discards.ts'
import { runDueBatches } from './due-batches.ts'

/** Deliveries that one transaction looks at. The steps of other tenants wait for the locks of one batch at most. */
const rowsMax = 500

/**
 * **What it does.** Discards the unfinished deliveries of deleted subscriptions, dead ones included.
 *
 * **Participants.** `subscription_discards`, the work, which a deletion stores; claims (store/claim.ts), which discard a
 * delivery of a deleted subscription in place of its attempt.
 *
 * **Guarantees.**
 * 1. A batch is one transaction of `rowsMax` deliveries. A killed process leaves the position of the last one.
 * 2. Tenants take turns of one batch. A subscription whose batch fails is due again later.
 *
 * **Not guaranteed.** That a delivery is discarded at once: until its batch it is listed with its earlier status.
 *
 * Returns the tenants whose deliveries have changed.
 */
export async function discardDeliveriesOfDeleted(
  deps: { readonly db: Database; readonly log: Pick<Log, 'error'> },
  turns: Turns,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>()
  await runDueBatches(deps, turns, {
    runOne: async (tx, id) => {
      changed.add(await discardBatch(tx, id))
    },
    postpone: postponeSubscriptionDiscard,
    failure: 'deliveries of a deleted subscription were not discarded',
  })
  return changed
}

/** Returns the tenant. */
async function discardBatch(tx: Tx, id: string): Promise<string> {
  const discard = await readSubscriptionDiscard(tx, id)
  const { tenantId, position } = discard
  const { last, isEnd } = await discardDeliveriesOf(tx, tenantId, id, { after: position, rowsMax })
  await (isEnd || last === null ? endSubscriptionDiscard(tx, discard) : continueSubscriptionDiscard(tx, discard, last))
  return tenantId
}
