import { purgeInvalidations } from '@payments/chassis/authorization-version'
import { purgeIdempotencyKeys } from '@payments/chassis/idempotency'
import type { Deps } from '../deps.ts'

/** Forgets idempotency keys past their time and changes of power that no reader will ask for, so many at once. */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await deps.db.acrossTenants(async (tx) => {
    await purgeIdempotencyKeys(tx)
    await purgeInvalidations(tx)
  })
}
