import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { whileLocked } from '@payments/testing/database/held-lock'
import { readEventMessage } from '../src/broker/event-message.ts'
import { emit } from '../src/outbox/outbox.ts'
import { OutboxClaims } from '../src/outbox/outbox-claims.ts'
import type { RelayOptions } from '../src/outbox/relay.ts'
import { relayWorld } from './relay-world.ts'
import {
  businessUnitId,
  createCleanup,
  definitions,
  drain,
  type PrivateBroker,
  type PrivateTable,
  tenantId,
  until,
} from './world.ts'

/** The relays of all replicas share the outbox: none waits for an event that another one works on. */
const cleanup = createCleanup()
afterEach(() => cleanup.run())
const { world, relayOn } = relayWorld(cleanup)

let table: PrivateTable
let broker: PrivateBroker
beforeEach(async () => {
  ;({ table, broker } = await world())
})

const relay = async (options: Partial<RelayOptions> = {}) =>
  relayOn(broker, await broker.open('publish'), table.db, options)

const emitOne = () =>
  table.transaction((tx) => {
    const event = { tenantId, businessUnitId, traceId: randomUUID(), payload: { n: 1 } }
    return emit(tx, definitions, { type: 'shop.things.create', ...event })
  })

const lockStatement = (id: string) => ['SELECT 1 FROM outbox_events WHERE id = $1::uuid FOR UPDATE', id] as const

/** Publishes what there is. From here on the marker queue exists, so no relay restores events. */
const publishAll = async () => {
  const started = await relay()
  await drain(started)
  await started.stop()
}

test('an event that another relay claims delays no later one', async () => {
  await publishAll()
  const [held, free] = [await emitOne(), await emitOne()]
  const taken: string[] = []
  await whileLocked(table.url, lockStatement(held), async () => {
    await relay()
    await until('the later event is published', async () => {
      for (const { body } of await broker.take('taken')) taken.push(readEventMessage(Buffer.from(body)).id)
      return taken.length > 0
    })
  })
  expect(taken).toEqual([free])
})

test('an event that another relay claims delays no later one of its tenant in turns', async () => {
  const claims = new OutboxClaims({ db: table.db, batchMax: 1, leaseMs: 60_000 })
  await emitOne()
  expect((await claims.next()).mayBeMore).toBe(true)
  const [held, free] = [await emitOne(), await emitOne()]
  const { rows } = await whileLocked(table.url, lockStatement(held), () => claims.next())
  expect(rows.map(({ id }) => id)).toEqual([free])
})

test('an expired event that another relay deletes delays the deletion of no other', async () => {
  const held = await emitOne()
  await emitOne()
  await publishAll()
  await table.pool.query(`UPDATE outbox_events SET published_at = published_at - interval '2 hours'`)
  const left = await whileLocked(table.url, lockStatement(held), async () => {
    await relay({ retentionMs: 3_600_000, maintainEveryMs: 5 })
    await until('the other event is deleted', async () => (await table.rows()) === 1)
    return (await table.pool.query('SELECT id FROM outbox_events')).rows
  })
  expect(left).toEqual([{ id: held }])
})
