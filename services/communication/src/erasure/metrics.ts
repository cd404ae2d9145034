import { sharedRead } from '@payments/chassis/process/metrics'
import { Gauge } from 'prom-client'
import type { Deps } from '../deps.ts'
import { findOldestIncomplete } from '../store/payer-erasures.ts'

/** Registers the age of the oldest incomplete erasure. It is read at each scrape: replicas export the same value. */
export function registerErasures({ db, now, metrics }: Pick<Deps, 'db' | 'now' | 'metrics'>): void {
  const oldest = sharedRead(() => db.acrossTenants(findOldestIncomplete))
  new Gauge({
    name: 'payer_oldest_incomplete_erasure_age_seconds',
    help: 'Age of the oldest erasure of a payer that is not complete in every service; 0 without one',
    registers: [metrics.registry],
    async collect() {
      // An unavailable database must not fail the other metrics.
      const requestedAt = await oldest().catch(() => undefined)
      if (requestedAt === undefined) return this.set(Number.NaN)
      this.set(requestedAt === null ? 0 : Math.max(0, (now().getTime() - requestedAt.getTime()) / 1_000))
    },
  })
}
