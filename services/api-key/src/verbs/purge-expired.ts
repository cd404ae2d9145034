import { purgeIdempotencyKeys } from '@payments/chassis/idempotency'
import type { Deps } from '../deps.ts'
import { revealLimit } from '../domain/reveal.ts'
import { purgeRevealAttempts } from '../store/reveal-attempts.ts'

/** Forgets idempotency keys past their time and reveals that no longer count, so many at once. */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await deps.db.acrossTenants(async (tx) => {
    await purgeIdempotencyKeys(tx)
    await purgeRevealAttempts(tx, revealLimit)
  })
}
