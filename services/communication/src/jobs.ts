import { every, type Scheduled } from '@payments/chassis/process/schedule'
import type { Deps } from './deps.ts'
import { countMessages } from './verbs/count-messages.ts'
import { purgeExpired } from './verbs/purge-expired.ts'

const purgeIntervalMs = 60_000
const countIntervalMs = 60_000

export const startJobs = (deps: Pick<Deps, 'db' | 'now' | 'log'>): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
  startCounting(deps),
]

function startCounting(deps: Pick<Deps, 'db' | 'now' | 'log'>): Scheduled {
  let after: string | null = null
  return every(countIntervalMs, 'count-messages', deps.log, async () => {
    after = await countMessages(deps, after)
  })
}
