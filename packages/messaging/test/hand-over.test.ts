import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { openSessionPool } from '@payments/chassis/database/session'
import { statementsAcrossTenants } from '@payments/chassis/database/statements'
import { Commits, type SqlTx, transactions } from '@payments/chassis/database/transaction'
import { readEventMessage } from '../src/broker/event-message.ts'
import { type EventReceiver, receiveEvents } from '../src/outbox/hand-over.ts'
import { emit } from '../src/outbox/outbox.ts'
import type { Relay, RelayOptions } from '../src/outbox/relay.ts'
import { relayWorld } from './relay-world.ts'
import {
  brokerProxy,
  businessUnitId,
  createCleanup,
  definitions,
  drain,
  type PrivateBroker,
  type PrivateTable,
  tenantId,
  until,
} from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

const { world, relayOn } = relayWorld(cleanup)
/** No claim finds an event in the time of a test. */
const withoutPoll = { pollMinMs: 600_000, pollMaxMs: 600_000 }

/** The transactions of a process, whose events `receiver` receives. */
function processOn(table: PrivateTable, receiver: EventReceiver) {
  const pool = openSessionPool(table.url, { max: 4 })
  cleanup.later(() => pool.end())
  const commits = new Commits()
  receiveEvents(commits, receiver)
  const client = {
    async $transaction<R>(work: (tx: SqlTx) => Promise<R>): Promise<R> {
      const session = await pool.connect()
      const tx: SqlTx = {
        $queryRawUnsafe: async <T>(text: string, ...values: unknown[]) =>
          (await session.query({ text, values })).rows as T,
        $executeRawUnsafe: async (text, ...values) => (await session.query({ text, values })).rowCount ?? 0,
      }
      try {
        await session.query({ text: 'BEGIN' })
        const result = await work(tx)
        await session.query({ text: 'COMMIT' })
        return result
      } catch (error) {
        await session.query({ text: 'ROLLBACK' })
        throw error
      } finally {
        session.release()
      }
    },
  }
  return transactions<SqlTx>(client, { commits })
}

const write = (tx: SqlTx, n = 1, owner = tenantId) =>
  emit(tx, definitions, {
    type: 'shop.things.create',
    tenantId: owner,
    businessUnitId,
    traceId: randomUUID(),
    payload: { n },
  })

async function startCheckedRelay(broker: PrivateBroker, table: PrivateTable, options: Partial<RelayOptions> = {}) {
  const pool = openSessionPool(table.url, { max: 1 })
  cleanup.later(() => pool.end())
  const relay = relayOn(broker, await broker.open('publish'), statementsAcrossTenants(pool), options)
  await until('the broker was checked', async () => grants(relay))
  return relay
}

/** The relay checks the broker when it is woken. */
function grants(relay: Relay): boolean {
  relay.wake()
  return relay.receiver.grantLease({ tenantId, bytes: 1 }) !== undefined
}

async function taken(broker: PrivateBroker, count: number): Promise<string[]> {
  await until(`${count} events arrive`, async () => (await broker.depth('taken')) >= count)
  return (await broker.take('taken')).map(({ body }) => readEventMessage(Buffer.from(body)).id)
}

test('an event leaves after its commit although no claim looks for it, and is marked as published', async () => {
  const { table, broker } = await world()
  const { receiver } = await startCheckedRelay(broker, table, withoutPoll)
  const handedOver: string[] = []
  const db = processOn(table, {
    grantLease: (candidate) => receiver.grantLease(candidate),
    take: (event) => {
      handedOver.push(event.row.id)
      receiver.take(event)
    },
    wake: () => receiver.wake(),
  })
  const ids = await db.inTenant(tenantId, async (tx) => [await write(tx, 1), await write(tx, 2)])
  expect(await taken(broker, 2)).toEqual(ids)
  expect(handedOver).toEqual(ids)
  await until('both are marked', async () => (await table.unpublished()) === 0)
})

test('a transaction that was rolled back hands nothing over', async () => {
  const { table, broker } = await world()
  const db = processOn(table, (await startCheckedRelay(broker, table, withoutPoll)).receiver)
  const undone = db.inTenant(tenantId, async (tx) => {
    await write(tx)
    throw new Error('changed our mind')
  })
  await expect(undone).rejects.toThrow('changed our mind')
  const id = await db.inTenant(tenantId, (tx) => write(tx))
  expect(await taken(broker, 1)).toEqual([id])
})

test('an event whose process crashed after the commit is published once after its lease, by another process', async () => {
  const { table, broker } = await world()
  const relay = await startCheckedRelay(broker, table, { leaseMs: 1_000, pollMaxMs: 50 })
  const { receiver } = relay
  // The process of the writer ends after its commit.
  const db = processOn(table, {
    grantLease: (candidate) => receiver.grantLease(candidate),
    take: () => {},
    wake: () => {},
  })
  const id = await db.inTenant(tenantId, (tx) => write(tx))
  expect(await taken(broker, 1)).toEqual([id])
  await drain(relay)
  expect(await broker.depth('taken')).toBe(0)
})

test('an event that is committed while the broker is away is published when the broker is back', async () => {
  const { table, broker } = await world()
  const proxy = await brokerProxy(cleanup)
  const pool = openSessionPool(table.url, { max: 1 })
  cleanup.later(() => pool.end())
  const connection = await broker.open('publish', { url: proxy.url })
  const relay = relayOn(broker, connection, statementsAcrossTenants(pool), { pollMaxMs: 50 })
  const db = processOn(table, relay.receiver)
  await until('the broker was checked', async () => grants(relay))
  proxy.rejectConnections(true)
  proxy.cut()
  const id = await db.inTenant(tenantId, (tx) => write(tx))
  proxy.rejectConnections(false)
  expect(await taken(broker, 1)).toEqual([id])
})

test('one tenant holds a quarter of the memory at most: its other events wait for claims, those of others do not', async () => {
  const { table, broker } = await world()
  const relay = await startCheckedRelay(broker, table, { ...withoutPoll, heldMax: 8 })
  const db = processOn(table, relay.receiver)
  const other = randomUUID()
  await db.inTenant(tenantId, async (tx) => {
    for (let n = 0; n < 10; n += 1) await write(tx, n)
  })
  const id = await db.inTenant(other, (tx) => write(tx, 1, other))
  const ids = await taken(broker, 11)
  expect(ids).toContain(id)
  expect(new Set(ids).size).toBe(11)
})
