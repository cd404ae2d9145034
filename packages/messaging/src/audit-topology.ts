import { auditQueue } from '@payments/contracts/audit-line'
import { named, quorumQueue, type Topology } from './topology.ts'

/**
 * The queue of audit records and its quarantine queue. Producers and consumer declare both, so they may start in any
 * order.
 */
export function auditTopology(prefix: string): Topology {
  const quarantine = named(prefix, auditQueue.quarantine)
  const { deliveryLimit, lengthMax } = auditQueue
  return [
    quorumQueue(quarantine, { deliveryLimit: null }),
    quorumQueue(named(prefix, auditQueue.name), { deliveryLimit, lengthMax, deadLetterTo: quarantine }),
  ]
}
