import type { FairPermits } from '@payments/chassis/base/fair-permits'
import { contracts } from '@payments/contracts/edges/contracts'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { ConnectionObserver } from './connections.ts'
import type { Limits } from './limits.ts'

type Counts = ReturnType<FairPermits['counts']>

export interface Limited {
  readonly limits: Pick<Limits, 'fleetState'>
  readonly servicePermits: (service: string) => Readonly<Record<'tenants' | 'addresses', FairPermits>>
}

export function limitMetrics(registry: Registry, { limits, servicePermits }: Limited): ConnectionObserver {
  const registers = [registry]
  const closed = new Counter({
    name: 'gateway_connections_closed_total',
    help: 'Connections that the gateway closed because they exceeded a limit, by reason',
    labelNames: ['reason'],
    registers,
  })
  const connections = new Gauge({ name: 'gateway_connections', help: 'Open connections of clients', registers })
  const unflushed = new Gauge({
    name: 'gateway_unflushed_bytes',
    help: 'Bytes of responses that clients have not read yet',
    registers,
  })
  const addGauge = (name: string, help: string, count: keyof Counts) =>
    new Gauge({
      name,
      help,
      labelNames: ['upstream'],
      registers,
      collect() {
        for (const { service } of contracts) {
          const { tenants, addresses } = servicePermits(service)
          this.set({ upstream: service }, tenants.counts()[count] + addresses.counts()[count])
        }
      },
    })
  addGauge('gateway_upstream_requests', 'Requests in progress at a service, by upstream', 'inProgress')
  addGauge('gateway_upstream_waiting', 'Requests that wait for a permit of a service, by upstream', 'waiting')
  new Gauge({
    name: 'gateway_live_replicas',
    help: 'Replicas among which request rates are shared, the last known number during an outage of api-key',
    registers,
    collect() {
      this.set(limits.fleetState().replicas)
    },
  })
  new Gauge({
    name: 'gateway_rates_shared',
    help: '1 while request rates are shared with the other replicas, 0 while this replica keeps to its part of them',
    registers,
    collect() {
      this.set(limits.fleetState().isShared ? 1 : 0)
    },
  })
  return {
    onClose: (reason) => closed.inc({ reason }),
    onSweep: (counts) => {
      connections.set(counts.connections)
      unflushed.set(counts.unflushedBytes)
    },
  }
}
