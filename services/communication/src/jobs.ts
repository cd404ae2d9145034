import { every, everyInTurns, type Scheduled } from '@payments/chassis/process/schedule'
import { startErasures } from '@payments/service/payers/erasures'
import { startRetention } from '@payments/service/payers/retention'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { messageEraser, retainedMessages } from './erasure/messages.ts'
import { countMessages } from './verbs/count-messages.ts'
import { purgeExpired } from './verbs/purge-expired.ts'

const purgeIntervalMs = 60_000
const countIntervalMs = 60_000

interface JobParts {
  readonly config: Pick<Config, 'COMMUNICATION_RETENTION_DAYS'>
}

export const startJobs = (deps: Pick<Deps, 'db' | 'now' | 'log'>, { config }: JobParts): Scheduled[] => [
  every(purgeIntervalMs, 'purge-expired', deps.log, () => purgeExpired(deps)),
  ...startErasures(deps, messageEraser),
  startRetention(deps, retainedMessages, config.COMMUNICATION_RETENTION_DAYS),
  everyInTurns(countIntervalMs, 'count-messages', deps.log, (after) => countMessages(deps, after)),
]
