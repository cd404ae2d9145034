import { auditQueue, decodeAuditLines } from '@payments/contracts/audit-line'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { BrokerConnection } from '@payments/messaging/connection'
import { type Consumer, consume } from '@payments/messaging/consume'
import type { Publisher } from '@payments/messaging/publisher'
import { named, quorumQueue, type Topology } from '@payments/messaging/topology'
import { Counter } from 'prom-client'
import type { Deps } from './deps.ts'
import { storeRecords } from './verbs/store-records.ts'

/** Each message brings some hundred records, and records of one tenant are stored one message after the other. */
const prefetch = 8
const stopTimeoutMs = 8_000

export function auditTopology(prefix: string): Topology {
  const quarantine = named(prefix, auditQueue.quarantine)
  const { deliveryLimit, lengthMax } = auditQueue
  return [
    quorumQueue(quarantine, { deliveryLimit: null }),
    quorumQueue(named(prefix, auditQueue.name), { deliveryLimit, lengthMax, deadLetterTo: quarantine }),
  ]
}

interface ConsumerOptions {
  readonly connection: BrokerConnection
  readonly publisher: Publisher
  readonly prefix: string
}

/** Events → verbs. */
export function startConsumers(deps: Deps, options: ConsumerOptions): Pick<Consumer<unknown>, 'ready' | 'stop'> {
  const { prefix, connection, publisher } = options
  const registers = [deps.metrics.registry]
  const stored = new Counter({ name: 'audit_records_stored_total', help: 'Audit records stored', registers })
  const repeated = new Counter({
    name: 'audit_records_repeated_total',
    help: 'Audit records that had been stored before',
    registers,
  })
  return consume({
    connection,
    publisher,
    queue: named(prefix, auditQueue.name),
    quarantine: named(prefix, auditQueue.quarantine),
    topology: auditTopology(prefix),
    prefetch,
    stopTimeoutMs,
    log: deps.log,
    metrics: deps.metrics.registry,
    read: decodeAuditLines,
    handle: async ({ records, unreadable }) => {
      const fresh = await storeRecords(deps, records)
      stored.inc(fresh)
      repeated.inc(records.length - fresh)
      if (unreadable === 0) return
      throw new Problem(commonProblems.invalid_request, { detail: `${unreadable} lines are not what was written` })
    },
  })
}
