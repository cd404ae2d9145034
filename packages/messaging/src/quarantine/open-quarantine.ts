import type { Metrics } from '@payments/chassis/process/metrics'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { quarantineMetrics } from '../broker/metrics.ts'
import { Quarantine, type QuarantineOptions } from './quarantine.ts'

export interface ServiceQuarantineOptions extends Omit<QuarantineOptions, 'name'> {
  readonly metrics: Metrics
}

/** The quarantine of a service, with its depth as a metric. Call it once per registry. */
export function openQuarantine(
  service: keyof typeof quarantineQueues,
  { metrics, ...options }: ServiceQuarantineOptions,
): Quarantine {
  const quarantine = new Quarantine({ ...options, name: quarantineQueues[service] })
  quarantineMetrics(metrics.registry, quarantine)
  return quarantine
}
