import { auditQueue } from '@payments/contracts/edges/audit-line'
import type { Publication } from './publication.ts'
import { binding, named, ownExchange, quorumQueue, reachedThrough, type Topology } from './topology.ts'

/** The exchange to which producers publish audit records. */
export const auditExchange = (prefix: string): string => named(prefix, auditQueue.exchange)

/** `queue`: one of `auditQueues`. */
export function auditAddress(
  prefix: string,
  queue: string = auditQueue.name,
): Pick<Publication, 'exchange' | 'routingKey'> {
  return { exchange: auditExchange(prefix), routingKey: named(prefix, queue) }
}

/** The names of the queues of audit records, without prefix. */
export const auditQueues: readonly [string, ...string[]] = [auditQueue.name, ...auditQueue.shards]

/**
 * Queues of audit records with their exchanges, and their quarantine queue. Only the audit service declares them: a
 * producer that publishes before its first start waits. One consumer at a time gets the messages of a shard, so that
 * replicas of the service do not wait for each other's locks.
 */
export function auditTopology(prefix: string, queues: readonly string[] = auditQueues): Topology {
  const exchange = ownExchange(prefix, 'audit')
  const quarantine = named(prefix, auditQueue.quarantine)
  const { deliveryLimit, lengthMax, shardLengthMax } = auditQueue
  const limits = { deliveryLimit, deadLetterTo: { exchange, queue: quarantine } }
  const names = queues.map((name) => named(prefix, name))
  return [
    ...reachedThrough(exchange, [
      quorumQueue(quarantine, { deliveryLimit: null }),
      ...queues.map((name) =>
        name === auditQueue.name
          ? quorumQueue(named(prefix, name), { ...limits, lengthMax })
          : quorumQueue(named(prefix, name), { ...limits, lengthMax: shardLengthMax, singleActiveConsumer: true }),
      ),
    ]),
    { kind: 'exchange', name: auditExchange(prefix), type: 'direct' },
    ...names.map((name) => binding(name, auditExchange(prefix), name)),
  ]
}
