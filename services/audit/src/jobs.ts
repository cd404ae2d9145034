import { every, type Scheduled } from '@payments/chassis/process/schedule'
import { whenDue } from '@payments/chassis/process/when-due'
import { Counter, Gauge } from 'prom-client'
import { type ExportCheckpoint, exportToDirectory } from './checkpoints/exporter.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { exportCheckpoints } from './verbs/export-checkpoints.ts'
import { findNextSealing, findNextVerification, listUnsealedChains } from './verbs/read-chains.ts'
import { retainRecords } from './verbs/retain-records.ts'
import { sealChain } from './verbs/seal-chain.ts'
import { verifyNextRange } from './verbs/verify-next-range.ts'

/** Per page of a run. */
const chainsMax = 500
const retentionIntervalMs = 10 * 60_000
const verificationIntervalMs = 10_000
const verificationRestMs = 60_000
/** Another replica may have stored records, and ended. */
const sealingRestMs = 10_000
/** Per run. A range has at most 20 000 records, and a seal more. */
const rangesMax = 4

type JobsConfig = Pick<Config, 'AUDIT_SEAL_INTERVAL_MS' | 'AUDIT_CHECKPOINT_DIRECTORY' | 'AUDIT_CHECKPOINT_INTERVAL_MS'>

/** Time → verbs. */
export const startJobs = (deps: Deps, config: JobsConfig): Scheduled[] => [
  startSealing(deps, config.AUDIT_SEAL_INTERVAL_MS),
  every(retentionIntervalMs, 'retain-records', deps.log, async () => {
    const { created, dropped } = await retainRecords(deps)
    if (created > 0 || dropped > 0) deps.log.info({ created, dropped }, 'created and dropped partitions')
  }),
  startVerification(deps),
  ...(config.AUDIT_CHECKPOINT_DIRECTORY === undefined
    ? []
    : [
        startCheckpointExport(
          deps,
          exportToDirectory(config.AUDIT_CHECKPOINT_DIRECTORY),
          config.AUDIT_CHECKPOINT_INTERVAL_MS,
        ),
      ]),
]

function startSealing(deps: Deps, intervalMs: number): Scheduled {
  const { db, log } = deps
  const waits = { intervalMs, restMsMax: Math.max(intervalMs, sealingRestMs) }
  const nextDue = () => findNextSealing(deps)
  return whenDue({ name: 'seal-chains', nextDue, signals: db.commits, log, ...waits }, () => sealChains(deps))
}

/**
 * Seals one range of each unsealed chain, page by page: however many chains there are, each has its turn in each run. A
 * failing chain does not delay the others. Returns the number of seals.
 */
export async function sealChains(deps: Deps, pageMax = chainsMax): Promise<number> {
  let sealed = 0
  let page: string[] = []
  do {
    page = await listUnsealedChains(deps, { after: page.at(-1) ?? null, chainsMax: pageMax })
    for (const tenantId of page) {
      try {
        if (await sealChain(deps, tenantId)) sealed += 1
      } catch (err) {
        deps.log.error({ err, tenant_id: tenantId }, 'could not seal a chain')
      }
    }
  } while (page.length === pageMax)
  return sealed
}

/** Verifies chains in turns. Alert: AuditChainRewritten on an increase of the findings. */
function startVerification(deps: Deps): Scheduled {
  const findings = new Counter({
    name: 'audit_chain_findings_total',
    help: 'Differences between audit records and their seals that the daily verification found',
    registers: [deps.metrics.registry],
  })
  const { db, log } = deps
  const waits = { intervalMs: verificationIntervalMs, restMsMax: verificationRestMs }
  const nextDue = () => findNextVerification(deps)
  return whenDue({ name: 'verify-chains', nextDue, signals: db.commits, log, ...waits }, async () => {
    for (let ranges = 0; ranges < rangesMax; ranges += 1) {
      const verified = await verifyNextRange(deps)
      if (verified === undefined) return
      for (const finding of verified.findings) {
        findings.inc()
        deps.log.error({ tenant_id: verified.tenantId, ...finding }, 'an audit chain disagrees with its records')
      }
    }
  })
}

/** Exports checkpoints. Alerts: AuditChainRewritten on an increase, AuditCheckpointsLate on an old last run. */
export function startCheckpointExport(deps: Deps, exportCheckpoint: ExportCheckpoint, intervalMs: number): Scheduled {
  const registers = [deps.metrics.registry]
  const conflicts = new Counter({
    name: 'audit_checkpoint_conflicts_total',
    help: 'Checkpoints that differ from the exported checkpoint of the same sequence: the chain was rewritten',
    registers,
  })
  const lastRun = new Gauge({
    name: 'audit_checkpoints_exported_timestamp_seconds',
    help: 'Time of the last export of the newest seal of every chain',
    registers,
  })
  const exportedUpTo = new Map<string, string>()
  return every(intervalMs, 'export-checkpoints', deps.log, async () => {
    const result = await exportCheckpoints(deps, exportCheckpoint, exportedUpTo)
    for (const chain of result.conflicts) {
      conflicts.inc()
      deps.log.error({ tenant_id: chain }, 'a chain differs from its exported checkpoint: the chain was rewritten')
    }
    lastRun.setToCurrentTime()
  })
}
