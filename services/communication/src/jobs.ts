import { every, everyInTurns, type Scheduled } from '@payments/chassis/process/schedule'
import type { Deps } from './deps.ts'
import { countMessages } from './verbs/count-messages.ts'
import { purgeExpired } from './verbs/purge-expired.ts'

const purgeIntervalMs = 60_000
const countIntervalMs = 60_000

export const startJobs = (deps: Pick<Deps, 'db' | 'now' | 'log'>): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
  everyInTurns(countIntervalMs, 'count-messages', deps.log, (after) => countMessages(deps, after)),
]
