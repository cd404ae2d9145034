import type { SqlTx } from '@payments/chassis/database/transaction'
import { Registry } from 'prom-client'
import type { BrokerConnection } from '../src/broker/connection.ts'
import { Publisher } from '../src/broker/publisher.ts'
import { binding, domainEvents, markerQueueName, quorumQueue, topicExchange } from '../src/broker/topology.ts'
import { Relay, type RelayOptions } from '../src/outbox/relay.ts'
import { type Cleanup, outboxTable, type PrivateBroker, privateBroker, producer, silent } from './world.ts'

/** Outboxes with relays, and a queue `taken` that takes their events. */
export function relayWorld(cleanup: Cleanup) {
  return {
    async world(pattern = '#') {
      const table = await outboxTable(cleanup)
      const broker = await privateBroker(cleanup, ['taken', 'marker.shop'], ['domain-events', 'marker.shop'])
      await broker.declare([
        topicExchange(domainEvents(broker.prefix)),
        quorumQueue(broker.name('taken'), { deliveryLimit: null }),
        binding(broker.name('taken'), domainEvents(broker.prefix), pattern),
      ])
      return { table, broker }
    },
    relayOn(
      broker: PrivateBroker,
      connection: BrokerConnection,
      db: SqlTx,
      options: Partial<RelayOptions> = {},
    ): Relay {
      const [exchange, markerQueue] = [domainEvents(broker.prefix), markerQueueName(broker.prefix, 'shop')]
      const publisher = new Publisher({ connection, topology: [topicExchange(exchange)], log: silent })
      const relay = new Relay({
        producer,
        db,
        publisher,
        connection,
        exchange,
        markerQueue,
        log: silent,
        metrics: new Registry(),
        ...options,
      })
      cleanup.later(async () => {
        await relay.stop()
        await publisher.close()
      })
      return relay
    },
  }
}
