import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createLog } from '@payments/chassis/observability/log'
import { createMetrics } from '@payments/chassis/process/metrics'
import { auditQueue, encodeAuditLine, signAuditMessage } from '@payments/contracts/edges/audit-line'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { withClient } from '@payments/devkit/servers/databases'
import { auditQueues, auditTopology } from '@payments/messaging/broker/audit-topology'
import { openBroker } from '@payments/messaging/broker/broker'
import { named } from '@payments/messaging/broker/topology'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { holdLock } from '@payments/testing/database/held-lock'
import { fewestRoundTrips } from '@payments/testing/database/round-trips'
import { until } from '@payments/testing/services/until'
import { startConsumers } from '../src/consumers.ts'
import { createRecord, startWorld, type World } from './world.ts'

const producer = { name: 'gateway', key: createSecretKey(randomBytes(32)) }
const messageKeys = new Map([[producer.name, producer.key]])

let world: World
let broker: TestBroker
beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker(auditTopology)])
})
afterAll(async () => {
  await broker.discard({ queues: [...auditQueues, auditQueue.quarantine] })
  await world.stop()
})

/** A replica of the service, with metrics and connections of its own. */
async function startReplica() {
  const { url, prefix } = broker
  const own = await openBroker({ url, prefix, name: 'audit', log: createLog('audit', 'silent') })
  const metrics = createMetrics('audit')
  const consumers = startConsumers({ ...world.deps, metrics }, { broker: own, messageKeys })
  await until(() => consumers.every((each) => each.ready().ready))
  return {
    own,
    inProgress: () => consumers.reduce((sum, each) => sum + each.inProgress(), 0),
    counted: async (name: string) => (await metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0,
    stop: async () => {
      await Promise.all(consumers.map((each) => each.stop()))
      await own.close()
    },
  }
}

async function send(records: readonly AuditRecord[], queue: string = auditQueue.name, edit = (text: string) => text) {
  const body = Buffer.from(records.map(encodeAuditLine).join(''))
  const routingKey = named(broker.prefix, queue)
  const headers = signAuditMessage(producer, body)
  const message = { exchange: '', routingKey, body: Buffer.from(edit(body.toString())), messageId: randomUUID() }
  await broker.publisher.publish({ ...message, headers })
}

const tenantOfShard = (shard: number) => `${randomUUID().slice(0, -1)}${shard}`

async function stored(...tenantIds: string[]): Promise<{ ids: string[]; positions: number[] }> {
  const { rows } = await world.owner.query<{ id: string; position: string }>(
    'SELECT id, position FROM audit_records WHERE tenant_id = ANY ($1) ORDER BY tenant_id, position',
    [tenantIds],
  )
  return { ids: rows.map(({ id }) => id), positions: rows.map(({ position }) => Number(position)) }
}

const lockChain = (tenantId: string) =>
  holdLock(world.database.ownerUrl, 'SELECT FROM audit_chains WHERE tenant_id = $1 FOR UPDATE', tenantId)

test('stores a batch in one round trip', async () => {
  const tenants = [randomUUID(), randomUUID(), null]
  const batch = () => tenants.flatMap((tenantId) => [createRecord(tenantId), createRecord(tenantId)])
  expect(await fewestRoundTrips(() => world.store(batch()))).toBe(1)
})

test('messages that arrive during a transaction share the next one; each is accepted or rejected for itself', async () => {
  const replica = await startReplica()
  const tenantId = randomUUID()
  const records = Array.from({ length: 12 }, () => createRecord(tenantId))
  await world.store(records.slice(0, 1))
  const lock = await lockChain(tenantId)
  await send(records.slice(0, 2))
  await lock.untilWaiting(1)
  for (const record of records.slice(2)) await send([record])
  await send([createRecord(tenantId)], auditQueue.name, (text) => text.replace('"status":200', '"status":500'))
  await send([createRecord(tenantId)], auditQueue.name, (text) => `${text}ffffffff nonsense\n`)
  await send([createRecord(tenantId, { operation: 'createTenant' }), createRecord(randomUUID())])
  await until(async () => replica.inProgress() === 12 && (await broker.depth(auditQueue.quarantine)) === 2)
  await lock.release()
  await until(async () => (await stored(tenantId)).ids.length === 12 && replica.inProgress() === 0)
  expect((await stored(tenantId)).ids.sort()).toEqual(records.map(({ id }) => id).sort())
  expect((await stored(tenantId)).positions).toEqual(records.map((_, index) => index + 1))
  expect(await broker.depth(auditQueue.quarantine)).toBe(3)
  expect(await replica.counted('audit_records_repeated_total')).toBe(1)
  await replica.stop()
})

test('a message that the database rejects does not keep those of its batch from being stored', async () => {
  const replica = await startReplica()
  const tenantId = randomUUID()
  await world.store([createRecord(tenantId)])
  const rule = `CHECK (user_agent IS DISTINCT FROM 'poison') NOT VALID`
  await withClient(world.database.ownerUrl, (owner) =>
    owner.query(`ALTER TABLE audit_records ADD CONSTRAINT poison ${rule}`),
  )
  const lock = await lockChain(tenantId)
  await send([createRecord(tenantId)])
  await lock.untilWaiting(1)
  const poison = createRecord(tenantId, { user_agent: 'poison' })
  const neighbours = Array.from({ length: 9 }, () => createRecord(tenantId))
  for (const record of [...neighbours.slice(0, 4), poison, ...neighbours.slice(4)]) await send([record])
  await until(() => replica.inProgress() === 11)
  await lock.release()
  await until(async () => (await stored(tenantId)).ids.length === 11)
  expect((await stored(tenantId)).ids).toEqual(expect.arrayContaining(neighbours.map(({ id }) => id)))
  await replica.stop()
  // The poisoned message was returned to the queue.
  expect(await broker.depth(auditQueue.name)).toBe(1)
  await purge(auditQueue.name)
})

async function purge(queue: string): Promise<void> {
  const channel = await broker.consuming.openChannel()
  await channel.purgeQueue(named(broker.prefix, queue))
  await channel.close()
}

test('a batch that was stored and not acknowledged is stored once', async () => {
  const tenantId = randomUUID()
  await world.store([createRecord(tenantId)])
  const lock = await lockChain(tenantId)
  const crashing = await startReplica()
  await send([createRecord(tenantId), createRecord(tenantId)])
  await lock.untilWaiting(1)
  await crashing.own.consuming.close()
  await lock.release()
  await until(async () => (await stored(tenantId)).ids.length === 3)
  const next = await startReplica()
  await until(async () => (await next.counted('audit_records_repeated_total')) === 2)
  expect((await stored(tenantId)).positions).toEqual([1, 2, 3])
  expect(await next.counted('audit_records_stored_total')).toBe(0)
  await Promise.all([crashing.stop(), next.stop()])
})

test('two replicas store the records of common tenants once each, without gaps', async () => {
  const replicas = await Promise.all([startReplica(), startReplica()])
  const tenants = [0, 0, 1, 2, 3].map(tenantOfShard)
  const shared = tenants.map((tenantId) => createRecord(tenantId))
  const sends: Promise<void>[] = []
  for (let i = 0; i < 40; i += 1) {
    sends.push(send([...shared, ...tenants.map((tenantId) => createRecord(tenantId))]))
    sends.push(
      ...[0, 1, 2, 3].map((shard) =>
        send([createRecord(tenants[shard + 1] ?? ''), ...shared], `audit.records.${shard}`),
      ),
    )
  }
  await Promise.all(sends)
  const expected = shared.length + 40 * (tenants.length + 4)
  await until(
    async () => (await stored(...tenants)).ids.length >= expected && replicas.every((each) => each.inProgress() === 0),
  )
  expect(new Set((await stored(...tenants)).ids).size).toBe(expected)
  for (const tenantId of tenants) {
    const { positions } = await stored(tenantId)
    expect(positions).toEqual(positions.map((_, index) => index + 1))
  }
  await Promise.all(replicas.map((each) => each.stop()))
})

test('one replica at a time stores a shard, and another one when it stops', async () => {
  const first = await startReplica()
  const second = await startReplica()
  const tenantId = tenantOfShard(2)
  for (let i = 0; i < 10; i += 1) await send([createRecord(tenantId)], 'audit.records.2')
  await until(async () => (await stored(tenantId)).ids.length === 10)
  expect(await first.counted('audit_records_stored_total')).toBe(10)
  await first.stop()
  await send([createRecord(tenantId)], 'audit.records.2')
  await until(async () => (await stored(tenantId)).ids.length === 11)
  expect(await second.counted('audit_records_stored_total')).toBe(1)
  await second.stop()
})

test('a tenant whose records wait does not delay the tenants of other shards', async () => {
  const replica = await startReplica()
  const flooding = tenantOfShard(1)
  await world.store([createRecord(flooding)])
  const lock = await lockChain(flooding)
  for (let i = 0; i < 100; i += 1) await send([createRecord(flooding)], 'audit.records.1')
  await lock.untilWaiting(1)
  const other = tenantOfShard(3)
  await send([createRecord(other)], 'audit.records.3')
  await until(async () => (await stored(other)).ids.length === 1)
  expect((await stored(flooding)).ids).toHaveLength(1)
  await lock.release()
  await until(async () => (await stored(flooding)).ids.length === 101)
  await replica.stop()
})
