import { every, type Scheduled } from '@payments/chassis/process/schedule'
import { purgeExpired } from '../verbs/purge-expired.ts'
import type { Deps } from './deps.ts'

const purgeIntervalMs = 60_000

/** Time → verbs of the API. */
export const startApiJobs = (deps: Pick<Deps, 'db' | 'log'>): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
]
