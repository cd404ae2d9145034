import { runPurges } from '@payments/chassis/database/purges'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from '../deps.ts'
import { purgeCorrected } from '../store/payers.ts'

/** Deletes expired Idempotency-Keys, and addresses that were corrected long ago, up to a limit per run. */
export async function purgeExpired({ db }: Pick<Deps, 'db'>): Promise<void> {
  await runPurges(db, [(tx) => purgeIdempotencyKeys(tx), (tx) => purgeCorrected(tx)])
}
