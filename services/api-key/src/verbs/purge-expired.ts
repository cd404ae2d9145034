import { purgeInvalidations } from '@payments/chassis/database/authorization-version'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { purgeFailures } from '../store/failed-authentications.ts'
import { purgeRequestRates } from '../store/request-rates.ts'
import { purgeRevealAttempts } from '../store/reveal-attempts.ts'
import { purgePreviousValues } from '../store/values.ts'

/**
 * Deletes expired Idempotency-Keys, expired counters of reveals, requests and failed authentications, values after
 * their grace period, and authorization changes older than 15 minutes. Each purge has a limit per run.
 */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await deps.db.acrossTenants(async (tx) => {
    await purgeIdempotencyKeys(tx)
    await purgeRevealAttempts(tx)
    await purgeFailures(tx)
    await purgePreviousValues(tx)
    await purgeInvalidations(tx)
  })
  // Reports of gateways wait for these rows, so no other purge holds them.
  await purgeRequestRates(deps.db.sql)
}
