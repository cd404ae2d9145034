import { every, everyInTurns, type Scheduled } from '@payments/chassis/process/schedule'
import { startPayerJobs } from '@payments/payer-erasure/jobs'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { retainedMessages } from './erasure/retention.ts'
import { erasureJob } from './erasure/steps.ts'
import { countMessages } from './verbs/count-messages.ts'
import { purgeExpired } from './verbs/purge-expired.ts'

const purgeIntervalMs = 60_000
const countIntervalMs = 60_000

interface JobParts {
  readonly config: Pick<Config, 'COMMUNICATION_RETENTION_DAYS'>
}

export const startJobs = (
  deps: Pick<Deps, 'db' | 'now' | 'log' | 'payerHashKeys'>,
  { config }: JobParts,
): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
  ...startPayerJobs(deps, erasureJob, { rows: retainedMessages, days: config.COMMUNICATION_RETENTION_DAYS }),
  everyInTurns(countIntervalMs, 'count-messages', deps.log, (after) => countMessages(deps, after)),
]
