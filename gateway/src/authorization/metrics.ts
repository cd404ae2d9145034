import { Gauge, Histogram, type Registry } from 'prom-client'
import type { LeaseSource } from './lease.ts'

const sourceNames = ['api-key', 'identity', 'rbac'] as const

/** Returns the function that measures the reads of the authorization version of a source (lease.ts). */
export function createLeaseMetrics(registry: Registry) {
  const registers = [registry]
  const reads = new Histogram({
    name: 'gateway_authorization_read_seconds',
    help: 'Duration of a read of the authorization version, by source and outcome',
    labelNames: ['source', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2],
    registers,
  })
  const renewedAt = new Map<string, number>()
  new Gauge({
    name: 'gateway_authorization_lease_age_seconds',
    help: 'Time since the last successful read of the authorization version was sent; without requests it grows',
    labelNames: ['source'],
    registers,
    collect() {
      for (const [source, sentAt] of renewedAt) this.set({ source }, (performance.now() - sentAt) / 1_000)
    },
  })
  for (const source of sourceNames) {
    for (const outcome of ['succeeded', 'failed']) reads.zero({ source, outcome })
  }
  return (source: (typeof sourceNames)[number], readVersion: LeaseSource['readVersion']): LeaseSource['readVersion'] =>
    async (since) => {
      const sentAt = performance.now()
      let outcome = 'failed'
      try {
        const reply = await readVersion(since)
        outcome = 'succeeded'
        renewedAt.set(source, sentAt)
        return reply
      } finally {
        reads.observe({ source, outcome }, (performance.now() - sentAt) / 1_000)
      }
    }
}
