import { auditQueue } from '@payments/contracts/edges/audit-line'
import type { Publication } from './publication.ts'
import { binding, named, ownExchange, quorumQueue, reachedThrough, type Topology } from './topology.ts'

/** The exchange to which producers publish audit records. */
export const auditExchange = (prefix: string): string => named(prefix, auditQueue.exchange)

export function auditAddress(prefix: string): Pick<Publication, 'exchange' | 'routingKey'> {
  return { exchange: auditExchange(prefix), routingKey: named(prefix, auditQueue.name) }
}

/**
 * The queue of audit records with its exchanges, and its quarantine queue. Only the audit service declares them: a
 * producer that publishes before its first start waits.
 */
export function auditTopology(prefix: string): Topology {
  const exchange = ownExchange(prefix, 'audit')
  const quarantine = named(prefix, auditQueue.quarantine)
  const records = named(prefix, auditQueue.name)
  const { deliveryLimit, lengthMax } = auditQueue
  const deadLetterTo = { exchange, queue: quarantine }
  return [
    ...reachedThrough(exchange, [
      quorumQueue(quarantine, { deliveryLimit: null }),
      quorumQueue(records, { deliveryLimit, lengthMax, deadLetterTo }),
    ]),
    { kind: 'exchange', name: auditExchange(prefix), type: 'direct' },
    binding(records, auditExchange(prefix), records),
  ]
}
