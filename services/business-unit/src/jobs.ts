import { every, type Scheduled } from '@payments/chassis/process/schedule'
import type { Deps } from './deps.ts'
import { purgeExpired } from './verbs/purge-expired.ts'
import { recheckCardPages } from './verbs/recheck-card-pages.ts'

const purgeIntervalMs = 60_000
/** The list of origins changes with a restart only. */
const recheckIntervalMs = 60_000

export const startJobs = (deps: Pick<Deps, 'db' | 'cardPages' | 'log'>): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
  every(recheckIntervalMs, 'recheck-card-pages', deps.log, () => recheckCardPages(deps)),
]
