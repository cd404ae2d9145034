import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { whileLocked } from '@payments/testing/held-lock'
import { readEventMessage } from '../src/event-message.ts'
import { emit } from '../src/outbox.ts'
import { Publisher } from '../src/publisher.ts'
import { type RelayOptions, startRelay } from '../src/relay.ts'
import { binding, domainEvents, markerQueueName, quorumQueue, topicExchange } from '../src/topology.ts'
import {
  businessUnitId,
  createCleanup,
  definitions,
  outboxTable,
  type PrivateBroker,
  type PrivateTable,
  privateBroker,
  producer,
  silent,
  tenantId,
  until,
} from './world.ts'

/** The relays of all replicas share the outbox: none waits for an event that another one works on. */
const cleanup = createCleanup()
afterEach(() => cleanup.run())

let table: PrivateTable
let broker: PrivateBroker
let exchange: string
beforeEach(async () => {
  table = await outboxTable(cleanup)
  broker = await privateBroker(cleanup, ['taken', 'marker.shop'], ['domain-events', 'marker.shop'])
  exchange = domainEvents(broker.prefix)
  await broker.declare([
    topicExchange(exchange),
    quorumQueue(broker.name('taken'), { deliveryLimit: null }),
    binding(broker.name('taken'), exchange, '#'),
  ])
})

const relay = async (options: Partial<RelayOptions> = {}) => {
  const connection = await broker.open('publish')
  const publisher = new Publisher({ connection, topology: [topicExchange(exchange)], log: silent })
  const markerQueue = markerQueueName(broker.prefix, 'shop')
  const started = startRelay({
    db: table.db,
    producer,
    publisher,
    connection,
    exchange,
    markerQueue,
    log: silent,
    ...options,
  })
  cleanup.later(async () => {
    await started.stop()
    await publisher.close()
  })
  return started
}

const emitOne = () =>
  table.transaction((tx) => {
    const event = { tenantId, businessUnitId, traceId: randomUUID(), payload: { n: 1 } }
    return emit(tx, definitions, { type: 'shop.things.create', ...event })
  })

const lockOf = (id: string) => ['SELECT 1 FROM outbox_events WHERE id = $1::uuid FOR UPDATE', id] as const

/** Publishes what there is. From here on the marker queue exists, so no relay restores events. */
const publishAll = async () => {
  const started = await relay()
  await started.drain()
  await started.stop()
}

test('an event that another relay claims delays no later one', async () => {
  await publishAll()
  const [held, free] = [await emitOne(), await emitOne()]
  const taken: string[] = []
  await whileLocked(table.url, lockOf(held), async () => {
    await relay()
    await until('the later event is published', async () => {
      for (const { body } of await broker.take('taken')) taken.push(readEventMessage(Buffer.from(body)).id)
      return taken.length > 0
    })
  })
  expect(taken).toEqual([free])
})

test('an expired event that another relay deletes delays the deletion of no other', async () => {
  const held = await emitOne()
  await emitOne()
  await publishAll()
  await table.pool.query(`UPDATE outbox_events SET published_at = published_at - interval '2 hours'`)
  await whileLocked(table.url, lockOf(held), async () => {
    await relay({ retentionMs: 3_600_000, maintainEveryMs: 5 })
    await until('the other event is deleted', async () => (await table.rows()) === 1)
  })
  expect((await table.pool.query('SELECT id FROM outbox_events')).rows).toEqual([{ id: held }])
})
