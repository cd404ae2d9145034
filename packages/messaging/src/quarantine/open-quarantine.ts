import { within } from '@payments/chassis/base/deadline'
import { type Metrics, sharedRead } from '@payments/chassis/process/metrics'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { Gauge, type Registry } from 'prom-client'
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

const depthTimeoutMs = 2_000

/** The depth of a quarantine queue, read at each scrape; NaN while the broker does not respond. */
export function quarantineMetrics(
  registry: Registry,
  quarantine: Pick<Quarantine, 'depth'> & { readonly name: string },
): void {
  const { name } = quarantine
  const read = sharedRead(() =>
    within(depthTimeoutMs, `the depth of ${name}`, quarantine.depth()).catch(() => Number.NaN),
  )
  new Gauge({
    name: 'quarantine_queue_depth',
    help: 'Messages in the quarantine queue of the service',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      this.set({ queue: name }, await read())
    },
  })
}
