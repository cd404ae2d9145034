import type { Log } from '@payments/chassis/observability/log'
import { type BackgroundWork, createBackgroundWork } from '@payments/chassis/process/background-work'

/** Work of a job that calls providers, in progress over its runs. */
export type WorkPermits = Pick<BackgroundWork, 'hasFree' | 'busyTenants' | 'start' | 'settled'>

/** A provider that hangs takes three permits of its tenant, and none of the others. */
export const workLimits = { permitsMax: 20, perTenantMax: 3 }

/** The permits of one job. A failure of its work is logged. */
export function createWorkPermits(name: string, log: Log): WorkPermits {
  const permits = createBackgroundWork(workLimits)
  const logFailure = (tenantId: string) => (err: unknown) =>
    log.error({ err, job: name, tenant_id: tenantId }, 'job failed')
  return {
    ...permits,
    start: (tenantId, work) => permits.start(tenantId, () => work().catch(logFailure(tenantId))),
  }
}
