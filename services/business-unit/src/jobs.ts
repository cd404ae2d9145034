import { runPurges } from '@payments/chassis/database/purges'
import { every, type Scheduled } from '@payments/chassis/process/schedule'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import type { Deps } from './deps.ts'
import { recheckCardPages } from './verbs/recheck-card-pages.ts'

const purgeIntervalMs = 60_000
/** The list of origins changes with a restart only. */
const recheckIntervalMs = 60_000

export const startJobs = (deps: Pick<Deps, 'db' | 'cardPages' | 'log'>): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => runPurges(deps.db, [purgeIdempotencyKeys])),
  every(recheckIntervalMs, 'recheck-card-pages', deps.log, () => recheckCardPages(deps)),
]
