import { every, type Scheduled } from '@payments/chassis/schedule'
import { Counter, Gauge } from 'prom-client'
import type { CheckpointExporter } from './checkpoints/exporter.ts'
import type { Deps } from './deps.ts'
import { exportCheckpoints } from './verbs/export-checkpoints.ts'
import { listUnsealedChains } from './verbs/list-unsealed-chains.ts'
import { retainRecords } from './verbs/retain-records.ts'
import { sealChain } from './verbs/seal-chain.ts'

const chainsMax = 500
const retentionIntervalMs = 10 * 60_000

/** Time → verbs. */
export const startJobs = (deps: Deps, sealIntervalMs: number): Scheduled[] => [
  every(sealIntervalMs, 'seal-chains', deps.log, () => sealChains(deps)),
  every(retentionIntervalMs, 'retain-records', deps.log, async () => {
    const { made, dropped } = await retainRecords(deps)
    if (made > 0 || dropped > 0) deps.log.info({ made, dropped }, 'partitions')
  }),
]

/** One stretch of each chain that has something new. A chain that cannot be sealed does not hold up the others. */
export async function sealChains(deps: Deps): Promise<number> {
  let sealed = 0
  for (const tenantId of await listUnsealedChains(deps, chainsMax)) {
    try {
      if (await sealChain(deps, tenantId)) sealed += 1
    } catch (err) {
      deps.log.error({ err, tenant_id: tenantId }, 'a chain cannot be sealed')
    }
  }
  return sealed
}

/** Exports checkpoints; alerts: AuditCheckpointConflict on any increase, AuditCheckpointsLate on the time of the last run. */
export function startCheckpointExport(deps: Deps, exporter: CheckpointExporter, intervalMs: number): Scheduled {
  const registers = [deps.metrics.registry]
  const conflicts = new Counter({
    name: 'audit_checkpoint_conflicts_total',
    help: 'Checkpoints that differ from the exported checkpoint of the same sequence: the chain was rewritten',
    registers,
  })
  const lastRun = new Gauge({
    name: 'audit_checkpoints_exported_timestamp_seconds',
    help: 'When the newest seal of every chain was last exported',
    registers,
  })
  const exportedUpTo = new Map<string, string>()
  return every(intervalMs, 'export-checkpoints', deps.log, async () => {
    const result = await exportCheckpoints(deps, exporter, exportedUpTo)
    for (const chain of result.conflicts) {
      conflicts.inc()
      deps.log.error({ tenant_id: chain }, 'a chain differs from its exported checkpoint: it was rewritten')
    }
    lastRun.setToCurrentTime()
  })
}
