import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { auditQueue } from '@payments/contracts/edges/audit-line'
import { type AuditRecord, audit } from '@payments/contracts/services/audit/contract'
import { named } from '@payments/messaging/broker/topology'
import { openOperatorCalls, operatorCallsIn } from '@payments/messaging/outbox/operator-calls'
import { type PrivateBroker, privateBroker } from '@payments/testing/broker/broker'
import { whileLocked } from '@payments/testing/database/held-lock'
import { asOperator } from '@payments/testing/suites/operator'
import { type Broker, openBroker } from '../src/broker/broker.ts'
import { startConsumers } from '../src/consumers.ts'
import { openDatabase } from '../src/store/database.ts'
import { recordOf, startWorld, type World } from './world.ts'

/** From the call of an operator to its record, over the database of the service and the broker. */
let world: World
let ownBroker: PrivateBroker
let broker: Broker
let consumer: ReturnType<typeof startConsumers>
const producer = { name: 'audit', key: createSecretKey(randomBytes(32)) }
const unreachableBroker = { url: 'amqp://127.0.0.1:9/', prefix: 'x' }

beforeAll(async () => {
  world = await startWorld()
  ownBroker = await privateBroker()
  broker = await openBroker(ownBroker, world.deps.log)
  const messageKeys = new Map([[producer.name, producer.key]])
  consumer = startConsumers(world.deps, { ...broker, messageKeys })
})
afterAll(async () => {
  await consumer.stop()
  await broker.close()
  await ownBroker.discard({
    queues: [auditQueue.name, auditQueue.quarantine].map((name) => named(ownBroker.prefix, name)),
  })
  await world.stop()
})

const open = (address: { url: string; prefix: string }, abandonedAfterMs?: number) =>
  openOperatorCalls({
    db: world.deps.db.sql,
    broker: address,
    producer,
    log: world.deps.log,
    metrics: createMetrics('test').registry,
    ...(abandonedAfterMs === undefined ? {} : { abandonedAfterMs }),
  })

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error('the condition was not met in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const storedWith = (traceId: string) =>
  until(async () => {
    const { rows } = await world.owner.query('SELECT * FROM audit_records WHERE trace_id = $1', [traceId])
    return rows.length > 0 ? rows : undefined
  })
const waiting = async () => Number((await world.owner.query('SELECT FROM operator_calls')).rowCount)

test('a call of an operator about a tenant leaves a record that the tenant and other operators find', async () => {
  const tenantId = randomUUID()
  await world.store([recordOf(tenantId)])
  const { response, traceId } = await asOperator(world, audit).get(`/internal/chains/${tenantId}/records?limit=5`)
  expect(response.status).toBe(200)
  const publishing = await open(ownBroker)
  expect(await storedWith(traceId)).toMatchObject([
    {
      tenant_id: tenantId,
      actor_type: 'operator',
      actor_id: 'ada@example.com',
      operation: 'inspectRecords',
      status: 200,
    },
  ])
  const { body } = await world.asTenant(tenantId).get('/v1/audit/records?actor_type=operator')
  expect(body.data).toMatchObject([{ trace_id: traceId, actor: { type: 'operator', id: 'ada@example.com' } }])
  await until(async () => ((await waiting()) === 0 ? true : undefined))
  await publishing.close()
})

test('a record survives an outage of the broker and a restart of the service', async () => {
  const { response, traceId } = await asOperator(world, audit).get('/internal/checkpoints')
  expect(response.status).toBe(200)
  const during = await open(unreachableBroker)
  await during.close()
  expect(await waiting()).toBe(1)
  const after = await open(ownBroker)
  expect(await storedWith(traceId)).toMatchObject([{ operation: 'listCheckpoints', outcome: 'success' }])
  await after.close()
})

test('an interrupted call is recorded with an unknown outcome, once the call can no longer run', async () => {
  const actor = { type: 'operator', id: 'ada@example.com' } as const
  const record = recordOf(null, { actor, operation: 'listCheckpoints', code: 'outcome_unknown' })
  await operatorCallsIn(world.deps.db.sql).begin(record)
  const { traceId } = await asOperator(world, audit).get('/internal/checkpoints')
  const running = await open(ownBroker)
  await storedWith(traceId)
  await running.close()
  expect(await waiting()).toBe(1)
  const later = await open(ownBroker, 0)
  expect(await storedWith(record.trace_id)).toMatchObject([{ code: 'outcome_unknown', actor_type: 'operator' }])
  await later.close()
})

test('ten replicas publish each record, and it is stored once', async () => {
  const calls = await Promise.all(
    Array.from({ length: 20 }, () => asOperator(world, audit).get('/internal/checkpoints')),
  )
  const replicas = await Promise.all(Array.from({ length: 10 }, () => open(ownBroker)))
  for (const { traceId } of calls) expect(await storedWith(traceId)).toHaveLength(1)
  await Promise.all(replicas.map((replica) => replica.close()))
  expect(await waiting()).toBe(0)
})

test('a record that another replica publishes delays no other', async () => {
  const actor = { type: 'operator', id: 'ada@example.com' } as const
  const [held, free] = [0, 1].map(() => recordOf(null, { actor, operation: 'listCheckpoints' })) as [
    AuditRecord,
    AuditRecord,
  ]
  for (const record of [held, free]) await operatorCallsIn(world.deps.db.sql).complete(record)
  const lock = ['SELECT 1 FROM operator_calls WHERE id = $1::uuid FOR UPDATE', held.id] as const
  const publishing = await whileLocked(world.database.ownerUrl, lock, async () => {
    const replica = await open(ownBroker)
    expect(await storedWith(free.trace_id)).toHaveLength(1)
    return replica
  })
  expect(await storedWith(held.trace_id)).toHaveLength(1)
  await publishing.close()
})

test('an unavailable database fails none of the other metrics', async () => {
  const db = openDatabase('postgresql://payments:secret@127.0.0.1:1/nowhere')
  const { registry } = createMetrics('test')
  const publishing = await openOperatorCalls({
    db: db.sql,
    broker: ownBroker,
    producer,
    log: world.deps.log,
    metrics: registry,
  })
  const exported = await registry.metrics()
  await publishing.close()
  await db.close()
  expect(exported).toMatch(/^operator_calls_waiting\{service="test"\} nan$/im)
  expect(exported).toMatch(/^process_start_time_seconds/m)
})
