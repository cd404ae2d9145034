import { runPurges } from '@payments/chassis/database/purges'
import { every, type Scheduled } from '@payments/chassis/process/schedule'
import { whenDue } from '@payments/chassis/process/when-due'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import { startErasures } from '@payments/service/payers/erasures'
import { startRetention } from '@payments/service/payers/retention'
import { type CodeJob, nextCode } from './code/rounds.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { codeEraser, retainedCodes } from './erasure/codes.ts'
import { cancelOrphanedCodes } from './verbs/cancel-orphaned-codes.ts'
import { expireCodes } from './verbs/expire-codes.ts'
import { recoverPayments } from './verbs/recover-payments.ts'
import { remind } from './verbs/remind.ts'

interface JobParts {
  readonly config: Pick<Config, 'INVITE_TO_PAY_RETENTION_DAYS'>
}

type JobDeps = Pick<Deps, 'db' | 'paymentProxy' | 'sending' | 'log'>

/** Several processes may run the same job at once. */
export const startJobs = (deps: JobDeps, { config }: JobParts): Scheduled[] => {
  const { commits: signals } = deps.db
  const due = (name: string, intervalMs: number, next: CodeJob, run: (deps: JobDeps) => Promise<void>) =>
    whenDue({ name, intervalMs, nextDue: () => nextCode(deps, next), signals, log: deps.log }, () => run(deps))
  return [
    due('expire-codes', 1_000, 'expire', expireCodes),
    due('cancel-orphaned-codes', 5_000, 'cancelOrphaned', cancelOrphanedCodes),
    due('recover-payments', 5_000, 'recover', recoverPayments),
    due('remind', 5_000, 'remind', remind),
    ...startErasures(deps, codeEraser),
    startRetention(deps, retainedCodes, config.INVITE_TO_PAY_RETENTION_DAYS),
    every(60_000, 'purge-expired', deps.log, () => runPurges(deps.db, [(tx) => purgeIdempotencyKeys(tx)])),
  ]
}
