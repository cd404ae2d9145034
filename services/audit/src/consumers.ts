import type { KeyObject } from 'node:crypto'
import { auditMessageRefusals, auditQueue, decodeAuditLines, verifyAuditMessage } from '@payments/contracts/audit-line'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { auditTopology } from '@payments/messaging/audit-topology'
import type { BrokerConnection } from '@payments/messaging/connection'
import { type Consumer, consume } from '@payments/messaging/consume'
import type { Publisher } from '@payments/messaging/publisher'
import { named } from '@payments/messaging/topology'
import { Counter } from 'prom-client'
import type { Deps } from './deps.ts'
import { type RecordRefusal, recordRefusals, refusalOf } from './domain/acceptance.ts'
import { storeRecords } from './verbs/store-records.ts'

/** Each message brings some hundred records, and records of one tenant are stored one message after the other. */
const prefetch = 8
const stopTimeoutMs = 8_000

interface ConsumerOptions {
  readonly connection: BrokerConnection
  readonly publisher: Publisher
  readonly prefix: string
  /** By producer. */
  readonly messageKeys: ReadonlyMap<string, KeyObject>
}

/** Events → verbs. */
export function startConsumers(deps: Deps, options: ConsumerOptions): Pick<Consumer<unknown>, 'ready' | 'stop'> {
  const { prefix, connection, publisher, messageKeys } = options
  const metrics = createConsumerMetrics(deps.metrics)
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
    read: (body, { headers }) => {
      const verified = verifyAuditMessage(headers, body, messageKeys)
      if ('producer' in verified) return { ...verified, ...decodeAuditLines(body) }
      metrics.messageRefused(verified.refusal)
      throw new Error(`the message is ${verified.refusal.replace('_', ' ')}`)
    },
    handle: async ({ producer, records, unreadable }) => {
      const period = { now: deps.now(), retentionDays: deps.retentionDays }
      const refused: RecordRefusal[] = Array(unreadable).fill('unreadable')
      const accepted = records.filter((record) => {
        const refusal = refusalOf(record, producer, period)
        if (refusal !== undefined) refused.push(refusal)
        return refusal === undefined
      })
      const fresh = await storeRecords(deps, accepted)
      metrics.stored(fresh, accepted.length - fresh)
      if (refused.length === 0) return
      for (const refusal of refused) metrics.recordRefused(refusal)
      const detail = `${refused.length} lines were refused: ${[...new Set(refused)].join(', ')}`
      throw new Problem(commonProblems.invalid_request, { detail })
    },
  })
}

function createConsumerMetrics({ registry }: Deps['metrics']) {
  const registers = [registry]
  const stored = new Counter({ name: 'audit_records_stored_total', help: 'Audit records stored', registers })
  const repeated = new Counter({
    name: 'audit_records_repeated_total',
    help: 'Audit records that had been stored before',
    registers,
  })
  const messages = new Counter({
    name: 'audit_messages_refused_total',
    help: 'Messages without the HMAC of a known producer; they are in the quarantine queue and none of their records is stored',
    labelNames: ['reason'],
    registers,
  })
  const records = new Counter({
    name: 'audit_records_refused_total',
    help: 'Records that their producer may not write, or that cannot be read; their messages are in the quarantine queue',
    labelNames: ['reason'],
    registers,
  })
  // An alert on an increase needs the series from the start.
  for (const reason of auditMessageRefusals) messages.inc({ reason }, 0)
  for (const reason of recordRefusals) records.inc({ reason }, 0)
  return {
    stored: (fresh: number, again: number) => {
      stored.inc(fresh)
      repeated.inc(again)
    },
    messageRefused: (reason: (typeof auditMessageRefusals)[number]) => messages.inc({ reason }),
    recordRefused: (reason: RecordRefusal) => records.inc({ reason }),
  }
}
