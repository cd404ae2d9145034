import type { Database } from '@payments/chassis/database/database'
import type { SqlTx } from '@payments/chassis/database/transaction'
import type { Log } from '@payments/chassis/observability/log'
import { every, everyInTurns, type Scheduled } from '@payments/chassis/process/schedule'
import { whenDue } from '@payments/chassis/process/when-due'
import { purgeErasedPayers } from './erased-payers.ts'
import { type RetainedRows, redactOldRows } from './retention.ts'
import { type ErasureDeps, type ErasureJob, erasureTurns, runErasures } from './run-erasures.ts'

const retentionIntervalMs = 10 * 60_000

interface PayerJobDeps<Tx extends SqlTx> extends Pick<ErasureDeps<Tx>, 'payerHashKeys'> {
  readonly db: Database<Tx>
  readonly log: Log
}

/** The jobs of a service about data of payers: erasures while some are due, and the ends of retentions. */
export function startPayerJobs<Tx extends SqlTx>(
  { db, log, payerHashKeys }: PayerJobDeps<Tx>,
  erasure: ErasureJob<Tx>,
  { rows, days }: { readonly rows: RetainedRows<Tx>; readonly days: number },
): Scheduled[] {
  const turns = erasureTurns()
  const nextDue = () => turns.nextDue(db.crossTenant)
  return [
    whenDue({ name: 'erase-payers', nextDue, commits: db.commits, log }, () =>
      runErasures({ db, log, payerHashKeys }, turns, erasure),
    ),
    every(retentionIntervalMs, 'purge-erased-payers', log, () => db.acrossTenants((tx) => purgeErasedPayers(tx))),
    everyInTurns(retentionIntervalMs, 'redact-old-rows', log, async (after) => {
      const { redacted, position } = await redactOldRows({ db, log }, rows, { days, now: new Date(), after })
      if (redacted > 0) log.info({ redacted }, 'data of payers redacted after its retention')
      return position
    }),
  ]
}
