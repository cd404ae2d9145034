/** A private broker with the queue of audit records, which the audit service declares. */
import { auditQueue } from '@payments/contracts/edges/audit-line'
import { auditQueues, auditTopology } from '@payments/messaging/broker/audit-topology'
import { withChannel } from '@payments/messaging/broker/channel'
import { openConnection } from '@payments/messaging/broker/connection'
import { declareTopology, named } from '@payments/messaging/broker/topology'
import { type PrivateBroker, privateBroker } from '@payments/testing/broker/broker'
import { pino } from 'pino'

export interface AuditBroker extends Omit<PrivateBroker, 'discard'> {
  readonly discard: () => Promise<void>
}

export async function auditBroker(): Promise<AuditBroker> {
  const { url, prefix, discard } = await privateBroker()
  const log = pino({ level: 'silent' })
  const connection = await openConnection({ url, purpose: 'consume', name: 'test', log })
  await new Promise<void>((resolve) => connection.watch({ up: resolve }))
  await withChannel(connection, (channel) => declareTopology(channel, auditTopology(prefix)))
  await connection.close()
  const queues = [...auditQueues, auditQueue.quarantine].map((name) => named(prefix, name))
  return { url, prefix, discard: () => discard({ queues }) }
}
