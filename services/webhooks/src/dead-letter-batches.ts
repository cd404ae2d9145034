import type { Deps } from './deps.ts'
import { reconcileDeadLetters } from './reconcile.ts'
import type { Tx } from './store/database.ts'

const rowsMax = 5_000
const batchesMax = 1_000

/**
 * Changes dead deliveries, `rowsMax` to a transaction, then brings their queue in line. Should that fail, the rows are changed
 * none the less, and the dispatcher's next reconciliation does it. Returns how many were changed.
 */
export async function changeDeadDeliveries(
  deps: Pick<Deps, 'db' | 'deadLetters' | 'log'>,
  change: (tx: Tx, rowsMax: number) => Promise<number>,
): Promise<number> {
  let changed = 0
  for (let turn = 0; turn < batchesMax; turn += 1) {
    const rows = await deps.db.acrossTenants((tx) => change(tx, rowsMax))
    changed += rows
    if (rows < rowsMax) break
  }
  try {
    await reconcileDeadLetters(deps)
  } catch (err) {
    deps.log.warn({ err }, 'webhooks.dead-letters could not be brought in line; the next reconciliation will')
  }
  return changed
}
