import { purgeHourlyCounts } from '@payments/chassis/database/hourly-counts'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { deletePreviousSecrets } from '../store/subscriptions.ts'
import { purgeTasks } from '../store/tasks.ts'

/** Deletes expired idempotency keys, tasks and previous secrets, and old counts. */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await deps.db.acrossTenants(async (tx) => {
    await purgeIdempotencyKeys(tx)
    await purgeTasks(tx)
    await deletePreviousSecrets(tx)
    await purgeHourlyCounts(tx, new Date())
  })
}
