import { every, type Scheduled } from '@payments/chassis/process/schedule'
import type { Deps } from './deps.ts'
import { purgeExpired } from './verbs/purge-expired.ts'

const purgeIntervalMs = 60_000

export const startJobs = (deps: Pick<Deps, 'db' | 'sessionLimits' | 'log'>): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
]
