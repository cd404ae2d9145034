import { createPermits } from '../base/fair-permits.ts'
import type { Allowance } from '../database/turns.ts'

export interface BackgroundWork {
  /** Whether a permit is free. */
  hasFree(): boolean
  /** The rows that may be claimed for work that starts now. */
  allowance(): Required<Allowance>
  /** Tenants that use all permits that one tenant may use. */
  busyTenants(): string[]
  /** Starts `work`, within the allowance, and does not wait for it. `work` handles its failures. */
  start(tenantId: string, work: () => Promise<void>): void
  /** Resolves when no work is in progress. */
  settled(): Promise<void>
}

export interface BackgroundWorkOptions {
  readonly permitsMax: number
  readonly perTenantMax: number
  /** Called when work has ended, and its permit is free. */
  readonly ended?: (tenantId: string) => void
}

/** Work in progress that nothing awaits, such as the attempts of claimed rows, bounded in all and per tenant. */
export function createBackgroundWork(options: BackgroundWorkOptions): BackgroundWork {
  const { permitsMax, perTenantMax, ended = () => {} } = options
  const permits = createPermits({ permitsMax, perSubjectMax: perTenantMax })
  const running = new Set<Promise<void>>()
  const free = () => permitsMax - permits.counts().inProgress
  return {
    hasFree: () => free() > 0,
    allowance: () => ({ limit: free(), perTenantMax, inProgress: permits.held() }),
    busyTenants: () => [...permits.held()].filter(([, count]) => count >= perTenantMax).map(([tenantId]) => tenantId),
    start: (tenantId, work) => {
      const release = permits.tryAcquire(tenantId)
      if (release === undefined) throw new Error('the work is beyond the allowance')
      const done: Promise<void> = work().finally(() => {
        running.delete(done)
        release()
        ended(tenantId)
      })
      running.add(done)
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
