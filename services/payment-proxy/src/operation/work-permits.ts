import type { Allowance } from '@payments/chassis/database/turns'
import type { Log } from '@payments/chassis/observability/log'

/** Work in progress over the runs of a job, bounded in all and per tenant. */
export interface WorkPermits {
  hasFree(): boolean
  /** The rows that may be locked for work that starts now. */
  allowance(): Required<Allowance>
  /** Tenants that use all permits that one tenant may use. */
  busyTenants(): string[]
  /** Starts `work`, and does not wait for it. A failure is logged. */
  start(tenantId: string, work: () => Promise<void>): void
  /** Resolves when no work is in progress. */
  settled(): Promise<void>
}

const permitsMax = 20
/** A provider that hangs takes three permits of its tenant, and none of the others. */
const perTenantMax = 3

/** `refill` is called when work may start again that a bound has stopped. */
export function createWorkPermits(name: string, log: Log, refill: () => void = () => {}): WorkPermits {
  const running = new Map<Promise<void>, string>()
  const counts = () => {
    const byTenant = new Map<string, number>()
    for (const tenantId of running.values()) byTenant.set(tenantId, (byTenant.get(tenantId) ?? 0) + 1)
    return byTenant
  }
  const end = (tenantId: string, work: Promise<void>) => {
    const wasBound = running.size === permitsMax || counts().get(tenantId) === perTenantMax
    running.delete(work)
    if (wasBound) refill()
  }
  return {
    hasFree: () => running.size < permitsMax,
    allowance: () => ({ limit: permitsMax - running.size, perTenantMax, inProgress: counts() }),
    busyTenants: () => [...counts()].filter(([, count]) => count >= perTenantMax).map(([tenantId]) => tenantId),
    start: (tenantId, work) => {
      const done: Promise<void> = work()
        .catch((err: unknown) => log.error({ err, job: name, tenant_id: tenantId }, 'job failed'))
        .finally(() => end(tenantId, done))
      running.set(done, tenantId)
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running.keys())
    },
  }
}
