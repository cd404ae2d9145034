import { runPurges } from '@payments/chassis/database/purges'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'

/** Deletes expired Idempotency-Keys, up to a limit per run. */
export async function purgeExpired({ db }: Pick<Deps, 'db'>): Promise<void> {
  await runPurges(db, [purgeIdempotencyKeys])
}
