import { purgeInvalidations } from '@payments/chassis/database/authorization-version'
import { runPurges } from '@payments/chassis/database/purges'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { purges } from '../store/purges.ts'

/**
 * Deletes expired Idempotency-Keys, expired counters of reveals, requests and failed authentications, values after
 * their grace period, and authorization changes older than 15 minutes. Each purge has a limit per run.
 */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await runPurges(deps.db, [purgeIdempotencyKeys, purgeInvalidations, ...purges])
}
