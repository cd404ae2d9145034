import type { Deps } from '../deps.ts'
import { type Batch, nextCodes } from '../store/due-codes.ts'

export type CodeJob = keyof typeof nextCodes

/** When the job has the next code to work on. */
export const nextCode = ({ db }: Pick<Deps, 'db'>, job: CodeJob): Promise<number | null> =>
  nextCodes[job](db.crossTenant)

interface Bounds {
  readonly batchSize: number
  readonly batchesMax: number
}

/**
 * **What it does.** Runs the batches of a job in rounds, so that the rows of one tenant do not delay other tenants.
 *
 * **Participants.** `work`, which takes the rows that have been due longest and returns the tenant of each.
 *
 * **Guarantees.**
 * 1. A tenant with `batchSize` rows in a round takes no more in it. So a row waits for at most one batch of each tenant
 *    whose rows have been due longer, however many rows they have.
 * 2. A round ends with a batch that is not full. A run ends without due rows, or after `batchesMax` batches.
 *
 * **Not guaranteed.** That a run takes all due rows: the next run continues.
 */
export async function inRounds(
  { batchSize, batchesMax }: Bounds,
  work: (batch: Batch) => Promise<readonly { readonly tenantId: string }[]>,
): Promise<void> {
  const counts = new Map<string, number>()
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const except = [...counts].filter(([, count]) => count >= batchSize).map(([tenantId]) => tenantId)
    const taken = await work({ limit: batchSize, except })
    for (const { tenantId } of taken) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
    if (taken.length === batchSize) continue
    if (except.length === 0) return
    counts.clear()
  }
}
