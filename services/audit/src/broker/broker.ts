import type { Log } from '@payments/chassis/observability/log'
import type { ReadinessCheck } from '@payments/chassis/process/health'
import { auditTopology } from '@payments/messaging/broker/audit-topology'
import { type BrokerConnection, openConnection } from '@payments/messaging/broker/connection'
import { Publisher } from '@payments/messaging/broker/publisher'

export interface Broker {
  readonly connection: BrokerConnection
  /** Publishes rejected messages to the quarantine queue. */
  readonly publisher: Publisher
  readonly prefix: string
  readonly check: ReadinessCheck
  close(): Promise<void>
}

export async function openBroker(address: { url: string; prefix: string }, log: Log): Promise<Broker> {
  const { url, prefix } = address
  const publishing = await openConnection({ url, name: 'audit', log, purpose: 'publish' })
  const connection = await openConnection({ url, name: 'audit', log, purpose: 'consume' })
  const publisher = new Publisher({ connection: publishing, topology: auditTopology(prefix), log })
  return {
    connection,
    publisher,
    prefix,
    check: async () => {
      for (const state of [publisher.ready(), connection.ready()]) if (!state.ready) return state.reason
      return null
    },
    close: async () => {
      await publisher.close()
      await Promise.all([publishing.close(), connection.close()])
    },
  }
}
