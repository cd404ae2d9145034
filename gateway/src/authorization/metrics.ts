import type { AuthorizationVersionReply } from '@payments/contracts/endpoints/authorization-version'
import { Gauge, Histogram, type Registry } from 'prom-client'

/** The authorization sources, as their services are called. */
const sourceNames = { apiKey: 'api-key', identity: 'identity', rbac: 'rbac' } as const

interface VersionSource<C, A> {
  readonly readAuthorizationVersion: (context: C, call: A) => Promise<AuthorizationVersionReply>
}

export interface LeaseMetrics {
  /** The source, whose reads of the authorization version are measured. */
  observed<C, A, S extends VersionSource<C, A>>(name: keyof typeof sourceNames, source: S & VersionSource<C, A>): S
}

/** Metrics of the reads that grant authorization leases (lease.ts). */
export function createLeaseMetrics(registry: Registry): LeaseMetrics {
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
  for (const source of Object.values(sourceNames)) {
    for (const outcome of ['succeeded', 'failed']) reads.zero({ source, outcome })
  }
  return {
    observed: (name, source) => {
      const label = sourceNames[name]
      return {
        ...source,
        readAuthorizationVersion: async (context, call) => {
          const sentAt = performance.now()
          let outcome = 'failed'
          try {
            const reply = await source.readAuthorizationVersion(context, call)
            outcome = 'succeeded'
            renewedAt.set(label, sentAt)
            return reply
          } finally {
            reads.observe({ source: label, outcome }, (performance.now() - sentAt) / 1_000)
          }
        },
      }
    },
  }
}
