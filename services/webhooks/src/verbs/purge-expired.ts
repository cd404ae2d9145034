import { purgeHourlyCounts } from '@payments/chassis/database/hourly-counts'
import { runPurges } from '@payments/chassis/database/purges'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { purgeTasks } from '../store/dead-letter/tasks.ts'
import { deletePreviousSecrets } from '../store/subscription/subscriptions.ts'

/** Deletes expired idempotency keys, tasks and previous secrets, and old counts. */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await runPurges(deps.db, [purgeIdempotencyKeys, purgeTasks, (tx) => deletePreviousSecrets(tx)])
  await deps.db.acrossTenants((tx) => purgeHourlyCounts(tx, new Date()))
}
