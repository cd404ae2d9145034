import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { verifyEvent } from '@payments/contracts/edges/event-signature'
import type { EventDefinitions } from '@payments/contracts/grammar/event'
import { testAddress } from '@payments/devkit/tests/test-address'
import { privateBroker as privatePrefix } from '@payments/testing/broker/broker'
import { type Channel, connect } from 'amqplib'
import pg from 'pg'
import { type Logger, pino } from 'pino'
import { z } from 'zod'
import { type BrokerConnection, type ConnectionOptions, openConnection } from '../src/broker/connection.ts'
import { declareTopology, named, type Topology } from '../src/broker/topology.ts'
import type { Relay } from '../src/outbox/relay.ts'

export const definitions = {
  'shop.things.create': {
    description: 'A thing was created',
    scope: 'business_unit',
    payload: z.strictObject({ n: z.int(), note: z.string().optional() }),
  },
  'shop.rules.update': { description: 'A rule was changed', scope: 'tenant', payload: z.strictObject({ n: z.int() }) },
} satisfies EventDefinitions

const eventKey = createSecretKey(randomBytes(32))

/** Of an outbox whose events are verified by the consumer `reader`. */
export const producer = { name: 'shop', keys: new Map([['reader', eventKey]]) }

export const verifyMessage = ({ body, headers }: { body: string; headers: Record<string, unknown> }) =>
  verifyEvent(headers, Buffer.from(body), { consumer: 'reader', keys: new Map([['shop', eventKey]]) })

export const tenantId = randomUUID()
export const businessUnitId = randomUUID()

/** Resolves when `holds` returns true. Rejects with `what` after `timeoutMs`. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadlineAt = Date.now() + timeoutMs
  while (!(await holds())) {
    if (Date.now() > deadlineAt) throw new Error(`not in ${timeoutMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Wakes the relay until every event of its outbox is published. */
export const drain = (relay: Relay, timeoutMs?: number): Promise<void> =>
  until(
    'every event is published',
    async () => {
      relay.wake()
      return (await relay.lag()).pending === 0
    },
    timeoutMs,
  )

/** A log with readable lines. */
export function readableLog(): { log: Logger; lines: string[] } {
  const lines: string[] = []
  return { log: pino({ level: 'info' }, { write: (line) => lines.push(line) }), lines }
}

export const silent = pino({ level: 'silent' })

/** Closes the parts of a test in the reverse order of their opening. */
export interface Cleanup {
  later(close: () => unknown): void
  run(): Promise<void>
}

export function createCleanup(): Cleanup {
  const closers: (() => unknown)[] = []
  return {
    later: (close) => closers.push(close),
    async run() {
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}

export interface PrivateTable {
  readonly db: SqlTx
  readonly pool: pg.Pool
  readonly url: string
  rows(): Promise<number>
  unpublished(): Promise<number>
  transaction<T>(work: (tx: SqlTx) => Promise<T>): Promise<T>
}

function toSqlTx(client: pg.Pool | pg.PoolClient): SqlTx {
  return {
    $queryRawUnsafe: async <T>(sql: string, ...values: unknown[]) => (await client.query(sql, values)).rows as T,
    $executeRawUnsafe: async (sql, ...values) => (await client.query(sql, values)).rowCount ?? 0,
  }
}

/** A private database with the table of the outbox model. */
export async function outboxTable(cleanup: Cleanup): Promise<PrivateTable> {
  const name = `messaging_${randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client({ connectionString: testAddress('TEST_DATABASE_URL') })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(testAddress('TEST_DATABASE_URL')), { pathname: `/${name}` }).href
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  // A terminated idle connection emits an error here; the next query opens another connection.
  pool.on('error', () => undefined)
  cleanup.later(async () => {
    await pool.end()
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  })
  await pool.query(`
    CREATE TABLE outbox_events (
      id uuid PRIMARY KEY, sequence bigserial NOT NULL, type text NOT NULL, tenant_id uuid NOT NULL,
      business_unit_id uuid, trace_id uuid NOT NULL, occurred_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
      payload jsonb NOT NULL, traceparent text, leased_until timestamptz(3), published_at timestamptz(3)) WITH (fillfactor = 50);
    CREATE INDEX outbox_events_unpublished_idx ON outbox_events (sequence) WHERE published_at IS NULL;
    CREATE INDEX outbox_events_turns_idx ON outbox_events (tenant_id, sequence) WHERE num_nulls(published_at) = 1;
    CREATE INDEX ON outbox_events (published_at) WHERE published_at IS NOT NULL`)
  return {
    db: toSqlTx(pool),
    pool,
    url,
    rows: async () => (await pool.query('SELECT count(*)::int AS n FROM outbox_events')).rows[0].n,
    unpublished: async () =>
      (await pool.query('SELECT count(*)::int AS n FROM outbox_events WHERE published_at IS NULL')).rows[0].n,
    transaction: (work) => inTransaction(pool, work),
  }
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: SqlTx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(toSqlTx(client))
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

export interface PrivateBroker {
  readonly url: string
  readonly prefix: string
  name(name: string): string
  /** A channel for setup and checks. */
  readonly channel: Channel
  declare(topology: Topology): Promise<void>
  depth(queue: string): Promise<number>
  /** Consumes every message of a queue. */
  take(queue: string): Promise<{ body: string; headers: Record<string, unknown>; messageId: string }[]>
  open(purpose: 'publish' | 'consume', options?: Partial<ConnectionOptions>): Promise<BrokerConnection>
}

/** Private names on the shared broker, deleted after the test. */
export async function privateBroker(
  cleanup: Cleanup,
  queues: string[],
  exchanges: string[] = [],
): Promise<PrivateBroker> {
  const { url, prefix, discard } = await privatePrefix()
  const model = await connect(url)
  const channel = await model.createChannel()
  cleanup.later(async () => {
    await model.close()
    const inFull = (names: string[]) => names.map((name) => named(prefix, name))
    await discard({ queues: inFull(queues), exchanges: inFull(exchanges) })
  })
  return {
    url,
    prefix,
    name: (name) => named(prefix, name),
    channel,
    declare: (topology) => declareTopology(channel, topology),
    depth: async (queue) => (await channel.checkQueue(named(prefix, queue))).messageCount,
    async take(queue) {
      const messages: { body: string; headers: Record<string, unknown>; messageId: string }[] = []
      for (;;) {
        const message = await channel.get(named(prefix, queue), { noAck: true })
        if (message === false) return messages
        const { headers = {}, messageId } = message.properties
        messages.push({ body: message.content.toString(), headers, messageId: String(messageId) })
      }
    },
    async open(purpose, options = {}) {
      const connection = await openConnection({ url, purpose, name: 'test', log: silent, retryMaxMs: 200, ...options })
      cleanup.later(() => connection.close())
      return connection
    },
  }
}

export interface Proxy {
  /** The address of the broker through the proxy. */
  readonly url: string
  /** Resets every connection, like a crash of the broker. */
  cut(): void
  /** Stops forwarding the bytes of one side or both. */
  pause(side: 'broker' | 'client' | 'both'): void
  resume(): void
  /** Sends bytes to every client as the broker. Only while the broker sends nothing. */
  inject(bytes: Buffer): void
  connections(): number
  rejectConnections(rejecting: boolean): void
}

/** A TCP proxy in front of the broker, with which a test disturbs its own connections only. */
export async function brokerProxy(cleanup: Cleanup): Promise<Proxy> {
  const target = new URL(testAddress('TEST_AMQP_URL'))
  const pairs = new Map<Socket, Socket>()
  let rejecting = false
  const server: Server = createServer((client) => {
    if (rejecting) {
      client.resetAndDestroy()
      return
    }
    const broker = connectSocket(Number(target.port || 5672), target.hostname)
    pairs.set(client, broker)
    for (const [from, to] of [
      [client, broker],
      [broker, client],
    ] as const) {
      from.on('data', (chunk) => to.write(chunk))
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        pairs.delete(client)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  cleanup.later(async () => {
    for (const [client, broker] of pairs) {
      client.destroy()
      broker.destroy()
    }
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: Object.assign(new URL(target.href), { hostname: '127.0.0.1', port: String(port) }).href,
    cut: () => {
      for (const client of pairs.keys()) client.resetAndDestroy()
    },
    pause: (side) => {
      for (const [client, broker] of pairs) {
        if (side !== 'client') broker.pause()
        if (side !== 'broker') client.pause()
      }
    },
    resume: () => {
      for (const [client, broker] of pairs) {
        broker.resume()
        client.resume()
      }
    },
    inject: (bytes) => {
      for (const client of pairs.keys()) client.write(bytes)
    },
    connections: () => pairs.size,
    rejectConnections: (value) => {
      rejecting = value
    },
  }
}
