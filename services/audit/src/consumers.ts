import type { KeyObject } from 'node:crypto'
import { Batch } from '@payments/chassis/base/batch'
import {
  auditMessageRejections,
  auditQueue,
  decodeAuditLines,
  verifyAuditMessage,
} from '@payments/contracts/edges/audit-line'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { auditQueues, auditTopology } from '@payments/messaging/broker/audit-topology'
import type { Broker } from '@payments/messaging/broker/broker'
import { named, ownExchange } from '@payments/messaging/broker/topology'
import { type Consumer, consume } from '@payments/messaging/consume/consume'
import { isOutage } from '@payments/messaging/consume/outage'
import { Counter } from 'prom-client'
import type { Deps } from './deps.ts'
import { findRejection, type RecordRejection, recordRejections } from './domain/acceptance.ts'
import { storeRecords } from './verbs/store-records.ts'

/** A message has up to some hundred records. Those that arrive during a transaction share the next one. */
const prefetch = 32
/** Per transaction, unless one message has more. */
const recordsMax = 2_000
const stopTimeoutMs = 8_000

interface ConsumerOptions {
  readonly broker: Pick<Broker, 'prefix' | 'consuming' | 'publisher'>
  /** By producer. */
  readonly messageKeys: ReadonlyMap<string, KeyObject>
}

/** Events → verbs: a consumer for each queue of records. */
export function startConsumers(deps: Deps, options: ConsumerOptions) {
  const metrics = createConsumerMetrics(deps.metrics)
  return auditQueues.map((queue) => startConsumer(deps, options, queue, metrics))
}

function startConsumer(
  deps: Deps,
  { broker: { prefix, consuming, publisher }, messageKeys }: ConsumerOptions,
  queue: string,
  metrics: ConsumerMetrics,
): Pick<Consumer<unknown>, 'ready' | 'inProgress' | 'stop'> {
  const batch = new Batch(
    async (messages: readonly (readonly AuditRecord[])[]) => {
      const records = messages.flat()
      const stored = await storeRecords(deps, records)
      metrics.countStored(stored, records.length - stored)
      return messages
    },
    {
      itemsMax: prefetch,
      size: { of: (records) => records.length, max: recordsMax },
      runningMax: 1,
      failsAll: isOutage,
    },
  )
  return consume({
    connection: consuming,
    publisher,
    queue: named(prefix, queue),
    quarantine: { exchange: ownExchange(prefix, 'audit'), queue: named(prefix, auditQueue.quarantine) },
    topology: auditTopology(prefix, [queue]),
    prefetch,
    stopTimeoutMs,
    log: deps.log,
    metrics: deps.metrics.registry,
    read: (body, { headers }) => {
      const verified = verifyAuditMessage(headers, body, messageKeys)
      if ('producer' in verified) return { ...verified, ...decodeAuditLines(body) }
      metrics.countRejectedMessage(verified.rejection)
      throw new Error(`rejected the message: ${verified.rejection.replace('_', ' ')}`)
    },
    handle: async ({ producer, records, unreadable }) => {
      const period = { now: deps.now(), retentionDays: deps.retentionDays }
      const rejections: RecordRejection[] = Array(unreadable).fill('unreadable')
      const accepted = records.filter((record) => {
        const rejection = findRejection(record, producer, period)
        if (rejection !== undefined) rejections.push(rejection)
        return rejection === undefined
      })
      await batch.add(accepted)
      if (rejections.length === 0) return
      for (const rejection of rejections) metrics.countRejectedRecord(rejection)
      const detail = `rejected ${rejections.length} of ${records.length + unreadable} lines: ${[...new Set(rejections)].join(', ')}`
      throw new Problem(commonProblems.invalid_request, { detail })
    },
  })
}

type ConsumerMetrics = ReturnType<typeof createConsumerMetrics>

function createConsumerMetrics({ registry }: Deps['metrics']) {
  const registers = [registry]
  const stored = new Counter({ name: 'audit_records_stored_total', help: 'Audit records stored', registers })
  const repeated = new Counter({
    name: 'audit_records_repeated_total',
    help: 'Audit records that were already stored',
    registers,
  })
  const messages = new Counter({
    name: 'audit_messages_refused_total',
    help: 'Messages without the HMAC of a known producer; they are quarantined, and none of their records is stored',
    labelNames: ['reason'],
    registers,
  })
  const records = new Counter({
    name: 'audit_records_refused_total',
    help: 'Records that are unreadable, out of period, or not allowed for their producer; their messages are quarantined',
    labelNames: ['reason'],
    registers,
  })
  // An alert on an increase requires the series from the start.
  for (const reason of auditMessageRejections) messages.inc({ reason }, 0)
  for (const reason of recordRejections) records.inc({ reason }, 0)
  return {
    countStored: (newRecords: number, repeatedRecords: number) => {
      stored.inc(newRecords)
      repeated.inc(repeatedRecords)
    },
    countRejectedMessage: (reason: (typeof auditMessageRejections)[number]) => messages.inc({ reason }),
    countRejectedRecord: (reason: RecordRejection) => records.inc({ reason }),
  }
}
