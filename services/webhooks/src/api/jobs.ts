import { every, everyInTurns, type Scheduled } from '@payments/chassis/process/schedule'
import type { Deps } from '../deps.ts'
import { countDeliveries } from '../verbs/count-deliveries.ts'
import { purgeExpired } from '../verbs/purge-expired.ts'

const purgeIntervalMs = 60_000
const countIntervalMs = 60_000

/** Time → verbs of the API. */
export const startApiJobs = (deps: Pick<Deps, 'db' | 'log'>): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
  everyInTurns(countIntervalMs, 'count-deliveries', deps.log, (after) => countDeliveries(deps, after)),
]
