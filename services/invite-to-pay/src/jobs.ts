import { every, type Scheduled } from '@payments/chassis/process/schedule'
import type { Deps } from './deps.ts'
import { cancelOrphanedCodes } from './verbs/cancel-orphaned-codes.ts'
import { expireCodes } from './verbs/expire-codes.ts'
import { purgeExpired } from './verbs/purge-expired.ts'
import { recoverPayments } from './verbs/recover-payments.ts'
import { remind } from './verbs/remind.ts'

type JobDeps = Pick<Deps, 'db' | 'paymentProxy' | 'sending' | 'log'>

/** Each job waits this long after the end of its previous run. Several processes may run the same job at once. */
const jobs: readonly (readonly [name: string, intervalMs: number, run: (deps: JobDeps) => Promise<void>])[] = [
  ['expire-codes', 1_000, expireCodes],
  ['cancel-orphaned-codes', 1_000, cancelOrphanedCodes],
  ['recover-payments', 5_000, recoverPayments],
  ['remind', 5_000, remind],
  ['purge-expired', 60_000, purgeExpired],
]

export const startJobs = (deps: JobDeps): Scheduled[] =>
  jobs.map(([name, intervalMs, run]) => every(intervalMs, name, deps.log, () => run(deps)))
