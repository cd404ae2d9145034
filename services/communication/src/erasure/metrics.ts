import { registerGauge } from '@payments/chassis/process/metrics'
import type { Deps } from '../deps.ts'
import { findOldestIncomplete } from '../store/payer-erasures.ts'

/** Registers the age of the oldest incomplete erasure. It is read at each scrape: replicas export the same value. */
export function registerErasures({ db, now, metrics }: Pick<Deps, 'db' | 'now' | 'metrics'>): void {
  registerGauge(metrics.registry, {
    name: 'payer_oldest_incomplete_erasure_age_seconds',
    help: 'Age of the oldest erasure of a payer that is not complete in every service; 0 without one',
    read: async () => {
      const requestedAt = await db.acrossTenants(findOldestIncomplete)
      return requestedAt === null ? 0 : Math.max(0, (now().getTime() - requestedAt.getTime()) / 1_000)
    },
  })
}
