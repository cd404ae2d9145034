import { purgeInvalidations } from '@payments/chassis/authorization-version'
import { purgeIdempotencyKeys } from '@payments/chassis/idempotency'
import type { Deps } from '../deps.ts'
import { revealLimit } from '../domain/reveal.ts'
import { purgeFailures } from '../store/failed-authentications.ts'
import { purgeRevealAttempts } from '../store/reveal-attempts.ts'
import { purgePreviousValues } from '../store/values.ts'

/**
 * Forgets idempotency keys past their time, reveals and failed authentications that no longer count, values whose grace is over
 * and changes of power that no reader will ask for, so many at once.
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
