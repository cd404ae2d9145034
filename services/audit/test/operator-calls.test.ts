import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMetrics } from '@payments/chassis/process/metrics'
import { auditQueue } from '@payments/contracts/edges/audit-line'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { auditQueues, auditTopology } from '@payments/messaging/broker/audit-topology'
import { type Broker, openBroker } from '@payments/messaging/broker/broker'
import { operatorCallsIn, startOperatorCalls } from '@payments/messaging/outbox/operator-calls'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { whileLocked } from '@payments/testing/database/held-lock'
import { startConsumers } from '../src/consumers.ts'
import { openDatabase } from '../src/store/database.ts'
import { createRecord, startWorld, type World } from './world.ts'

/** From the call of an operator to its record, over the database of the service and the broker. */
let world: World
let broker: TestBroker
let consumers: ReturnType<typeof startConsumers>
const producer = { name: 'audit', key: createSecretKey(randomBytes(32)) }

beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker(auditTopology)])
  const messageKeys = new Map([[producer.name, producer.key]])
  consumers = startConsumers(world.deps, { broker, messageKeys })
})
afterAll(async () => {
  await Promise.all(consumers.map((each) => each.stop()))
  await broker.discard({ queues: [...auditQueues, auditQueue.quarantine] })
  await world.stop()
})

/** Starts to publish, as a replica does. */
const start = (at: Broker = broker, abandonedAfterMs?: number) =>
  startOperatorCalls({
    db: world.deps.db.sql,
    broker: at,
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

const storedWith = (traceId: string | undefined) =>
  until(async () => {
    const { rows } = await world.owner.query('SELECT * FROM audit_records WHERE trace_id = $1', [traceId])
    return rows.length > 0 ? rows : undefined
  })
const waiting = async () => Number((await world.owner.query('SELECT FROM operator_calls')).rowCount)

test('a call of an operator about a tenant leaves a record that the tenant and other operators find', async () => {
  const tenantId = randomUUID()
  await world.store([createRecord(tenantId)])
  const { status, headers } = await world.asOperator.get(`/internal/chains/${tenantId}/records?limit=5`)
  expect(status).toBe(200)
  const traceId = headers['trace-id']
  const publishing = start()
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
  await publishing.stop()
})

test('a record survives an outage of the broker and a restart of the service', async () => {
  const { status, headers } = await world.asOperator.get('/internal/checkpoints')
  expect(status).toBe(200)
  const { log } = world.deps
  const unreachable = await openBroker({ url: 'amqp://127.0.0.1:9/', prefix: 'x', name: 'test', log })
  await start(unreachable).stop()
  await unreachable.close()
  expect(await waiting()).toBe(1)
  const after = start()
  expect(await storedWith(headers['trace-id'])).toMatchObject([{ operation: 'listCheckpoints', outcome: 'success' }])
  await after.stop()
})

test('an interrupted call is recorded with an unknown outcome, once the call can no longer run', async () => {
  const actor = { type: 'operator', id: 'ada@example.com' } as const
  const record = createRecord(null, { actor, operation: 'listCheckpoints', code: 'outcome_unknown' })
  await operatorCallsIn(world.deps.db.sql).begin(record)
  const { headers } = await world.asOperator.get('/internal/checkpoints')
  const running = start()
  await storedWith(headers['trace-id'])
  await running.stop()
  expect(await waiting()).toBe(1)
  const later = start(broker, 0)
  expect(await storedWith(record.trace_id)).toMatchObject([{ code: 'outcome_unknown', actor_type: 'operator' }])
  await later.stop()
})

test('ten replicas publish each record, and it is stored once', async () => {
  const calls = await Promise.all(Array.from({ length: 20 }, () => world.asOperator.get('/internal/checkpoints')))
  const replicas = Array.from({ length: 10 }, () => start())
  for (const { headers } of calls) expect(await storedWith(headers['trace-id'])).toHaveLength(1)
  await Promise.all(replicas.map((replica) => replica.stop()))
  expect(await waiting()).toBe(0)
})

test('a record that another replica publishes delays no other', async () => {
  const actor = { type: 'operator', id: 'ada@example.com' } as const
  const [held, free] = [0, 1].map(() => createRecord(null, { actor, operation: 'listCheckpoints' })) as [
    AuditRecord,
    AuditRecord,
  ]
  for (const record of [held, free]) await operatorCallsIn(world.deps.db.sql).complete(record)
  const lock = ['SELECT 1 FROM operator_calls WHERE id = $1::uuid FOR UPDATE', held.id] as const
  const publishing = await whileLocked(world.database.ownerUrl, lock, async () => {
    const replica = start()
    expect(await storedWith(free.trace_id)).toHaveLength(1)
    return replica
  })
  expect(await storedWith(held.trace_id)).toHaveLength(1)
  await publishing.stop()
})

test('an unavailable database fails none of the other metrics', async () => {
  const db = openDatabase('postgresql://payments:secret@127.0.0.1:1/nowhere')
  const { registry } = createMetrics('test')
  const publishing = startOperatorCalls({ db: db.sql, broker, producer, log: world.deps.log, metrics: registry })
  const exported = await registry.metrics()
  await publishing.stop()
  await db.close()
  expect(exported).toMatch(/^operator_calls_waiting\{service="test"\} nan$/im)
  expect(exported).toMatch(/^process_start_time_seconds/m)
})
