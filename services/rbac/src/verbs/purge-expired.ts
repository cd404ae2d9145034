import { purgeInvalidations } from '@payments/chassis/database/authorization-version'
import { runPurges } from '@payments/chassis/database/purges'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'

/** Deletes expired Idempotency-Keys and authorization changes older than any reader, up to a limit per run. */
export async function purgeExpired(deps: Pick<Deps, 'db'>): Promise<void> {
  await runPurges(deps.db, [purgeIdempotencyKeys, purgeInvalidations])
}
