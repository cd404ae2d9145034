// A relay that a test can kill. Runs the built package, as services do.
import { openConnection } from '@payments/messaging/broker/connection'
import { Publisher } from '@payments/messaging/broker/publisher'
import { domainEvents, markerQueueName, topicExchange } from '@payments/messaging/broker/topology'
import { Relay } from '@payments/messaging/outbox/relay'
import pg from 'pg'
import { pino } from 'pino'
import { Registry } from 'prom-client'

const { AMQP_URL, DATABASE_URL, PREFIX, STOP_BEFORE } = process.env
const log = pino({ level: 'warn' }, process.stderr)
const pool = new pg.Pool({ connectionString: DATABASE_URL })
const db = {
  $queryRawUnsafe: async (sql, ...values) => (await pool.query(sql, values)).rows,
  $executeRawUnsafe: async (sql, ...values) => {
    if (STOP_BEFORE === 'mark' && sql.includes('SET published_at = leased_until')) {
      process.stdout.write('confirmed\n')
      await new Promise(() => {})
    }
    return (await pool.query(sql, values)).rowCount
  },
}
const connection = await openConnection({ url: AMQP_URL, purpose: 'publish', name: 'relay-process', log })
const exchange = domainEvents(PREFIX)
const markerQueue = markerQueueName(PREFIX, 'shop')
const publisher = new Publisher({ connection, topology: [topicExchange(exchange)], log })
const producer = { name: 'shop', keys: new Map() }
const metrics = new Registry()
new Relay({ producer, db, publisher, connection, exchange, markerQueue, log, metrics, batchMax: 50, leaseMs: 1_000 })
