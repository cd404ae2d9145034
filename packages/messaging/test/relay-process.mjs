// A relay that a test can kill. Runs the built package, as services do.
import { openConnection } from '@payments/messaging/connection'
import { Publisher } from '@payments/messaging/publisher'
import { startRelay } from '@payments/messaging/relay'
import { topicExchange } from '@payments/messaging/topology'
import pg from 'pg'
import { pino } from 'pino'

const { AMQP_URL, DATABASE_URL, EXCHANGE, STOP_BEFORE } = process.env
const log = pino({ level: 'warn' }, process.stderr)
const pool = new pg.Pool({ connectionString: DATABASE_URL })
const db = {
  $queryRawUnsafe: async (sql, ...values) => (await pool.query(sql, values)).rows,
  $executeRawUnsafe: async (sql, ...values) => {
    if (STOP_BEFORE === 'delete' && sql.includes('DELETE')) {
      process.stdout.write('confirmed\n')
      await new Promise(() => {})
    }
    return (await pool.query(sql, values)).rowCount
  },
}
const connection = await openConnection({ url: AMQP_URL, purpose: 'publish', name: 'relay-process', log })
const publisher = new Publisher({ connection, topology: [topicExchange(EXCHANGE)], log })
startRelay({ db, publisher, exchange: EXCHANGE, log, batchMax: 50, leaseMs: 1_000 })
