import { purgeIdempotencyKeys } from '@payments/chassis/idempotency'
import { every } from '@payments/chassis/schedule'
import type { Deps } from './deps.ts'
import { releaseExpiredAuthorizations } from './verbs/release-expired-authorizations.ts'
import { settleOpenOperations } from './verbs/settle-open-operations.ts'

/** Time → verbs. `stop` resolves after the running jobs. */
export function startJobs(deps: Deps): { stop(): Promise<void> } {
  const { db, log } = deps
  const jobs = [
    every(1_000, 'settle open operations', log, () => settleOpenOperations(deps)),
    every(5_000, 'release expired authorizations', log, () => releaseExpiredAuthorizations(deps)),
    every(60_000, 'purge idempotency keys', log, () => db.acrossTenants((tx) => purgeIdempotencyKeys(tx))),
  ]
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
