import { purgeHourlyCounts } from '@payments/chassis/database/hourly-counts'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { purgeErasedResources } from '../store/erased-resources.ts'
import { deletePreviousSecrets } from '../store/subscriptions.ts'
import { purgeTasks } from '../store/tasks.ts'

/** Deletes expired idempotency keys, tasks and previous secrets, old counts, and resources erased long ago. */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await deps.db.acrossTenants(async (tx) => {
    await purgeIdempotencyKeys(tx)
    await purgeTasks(tx)
    await purgeErasedResources(tx)
    await deletePreviousSecrets(tx)
    await purgeHourlyCounts(tx, new Date())
  })
}
