import type { Registry } from 'prom-client'
import { quarantineMetrics } from '../broker/metrics.ts'
import { Quarantine, type QuarantineOptions } from './quarantine.ts'

/** The quarantine of a service, with its depth as a metric. Call it once per registry. */
export function openQuarantine(options: QuarantineOptions & { readonly metrics: Registry }): Quarantine {
  const quarantine = new Quarantine(options)
  quarantineMetrics(options.metrics, quarantine)
  return quarantine
}
