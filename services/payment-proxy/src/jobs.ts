import { purgeHourlyCounts } from '@payments/chassis/database/hourly-counts'
import { runPurges } from '@payments/chassis/database/purges'
import type { Turns } from '@payments/chassis/database/turns'
import { every, everyInTurns, type Scheduled } from '@payments/chassis/process/schedule'
import { type NextDue, whenDue } from '@payments/chassis/process/when-due'
import { purgeIdempotencyKeys } from '@payments/chassis/request/idempotency'
import { startErasures } from '@payments/service/payers/erasures'
import { startRetention } from '@payments/service/payers/retention'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { retainedTransactions, transactionEraser } from './erasure/transactions.ts'
import { createTurnsOfJobs, nextExpiry } from './operation/due-rows.ts'
import { purgedEvents } from './operation/metrics.ts'
import { startResumeLoop } from './operation/resume-loop.ts'
import { createWorkPermits, type WorkPermits } from './operation/work-permits.ts'
import { applyProviderEvents } from './verbs/apply-provider-events.ts'
import { countPayments } from './verbs/count-payments.ts'
import { failSandboxRefunds } from './verbs/fail-sandbox-refunds.ts'
import { purgeProviderEvents } from './verbs/purge-provider-events.ts'
import { purgeReturnUrls } from './verbs/purge-return-urls.ts'
import { releaseExpiredAuthorizations } from './verbs/release-expired-authorizations.ts'

interface JobParts {
  readonly config: Pick<Config, 'PAYMENT_CUSTOMER_RETENTION_DAYS'>
}

/** Time → verbs. `stop` resolves after the running jobs. */
export function startJobs(deps: Deps, { config }: JobParts): Scheduled[] {
  const { db, log } = deps
  const releasing = createWorkPermits('release expired authorizations', log)
  const followUps = createWorkPermits('apply provider events', log)
  const turns = createTurnsOfJobs()
  const due = (name: string, nextDue: NextDue, job: () => Promise<unknown>, intervalMs = 1_000) =>
    whenDue({ name, nextDue, signals: db.commits, log, intervalMs }, job)
  const createNextDue = (rows: Turns) => () => rows.nextDue(db.crossTenant, deps.now())
  const { events, sandboxRefunds } = turns
  const jobs = [
    startResumeLoop(deps),
    due(
      'release expired authorizations',
      () => nextExpiry(deps),
      () => releaseExpiredAuthorizations(deps, releasing),
      5_000,
    ),
    due('apply provider events', createNextDue(events), () => applyBatches(deps, followUps, events)),
    due('fail sandbox refunds', createNextDue(sandboxRefunds), () => failSandboxRefunds(deps, sandboxRefunds)),
    every(60_000, 'purge provider events', log, async () => purgedEvents.inc(await purgeProviderEvents(deps))),
    every(60_000, 'purge return urls', log, () => purgeReturnUrls(deps)),
    every(60_000, 'purge idempotency keys', log, () => runPurges(db, [purgeIdempotencyKeys])),
    every(600_000, 'purge hourly counts', log, () => db.acrossTenants((tx) => purgeHourlyCounts(tx, deps.now()))),
    ...startErasures(deps, transactionEraser),
    startRetention(deps, retainedTransactions, config.PAYMENT_CUSTOMER_RETENTION_DAYS),
    everyInTurns(60_000, 'count payments', log, (after) => countPayments(deps, after)),
  ]
  const stop = async () => {
    await Promise.all(jobs.map((job) => job.stop()))
    await Promise.all([releasing, followUps].map((permits) => permits.settled()))
  }
  return [{ stop }]
}

const batchesMax = 10

async function applyBatches(deps: Deps, followUps: WorkPermits, turns: Turns): Promise<void> {
  for (let batches = 0; batches < batchesMax; batches += 1) {
    if ((await applyProviderEvents(deps, followUps, turns)) === 0) return
  }
}
