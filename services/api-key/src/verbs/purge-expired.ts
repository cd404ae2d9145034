import { purgeInvalidations } from '@payments/chassis/authorization-version'
import { purgeIdempotencyKeys } from '@payments/chassis/idempotency'
import type { Deps } from '../deps.ts'
import { revealLimit } from '../domain/reveal.ts'
import { purgeFailures } from '../store/failed-authentications.ts'
import { purgeRevealAttempts } from '../store/reveal-attempts.ts'
import { purgePreviousValues } from '../store/values.ts'

/**
 * Deletes expired Idempotency-Keys, expired counters of reveals and failed authentications, values after their grace
 * period, and authorization changes older than 15 minutes. Each purge has a limit per run.
 */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await deps.db.acrossTenants(async (tx) => {
    await purgeIdempotencyKeys(tx)
    await purgeRevealAttempts(tx, revealLimit)
    await purgeFailures(tx)
    await purgePreviousValues(tx)
    await purgeInvalidations(tx)
  })
}
