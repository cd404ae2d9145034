import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type AuditProducer, auditQueue, encodeAuditLine, signAuditMessage } from '@payments/contracts/edges/audit-line'
import { auditQueues, auditTopology } from '@payments/messaging/broker/audit-topology'
import { named } from '@payments/messaging/broker/topology'
import { Quarantine } from '@payments/messaging/quarantine/quarantine'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { startConsumers } from '../src/consumers.ts'
import { createRecord, startWorld, type World } from './world.ts'

const producerKeys = new Map(['gateway', 'gateway-1', 'rbac'].map((name) => [name, createSecretKey(randomBytes(32))]))
const producer = (name: string): AuditProducer => ({
  name,
  key: producerKeys.get(name) ?? createSecretKey(randomBytes(32)),
})

let world: World
let broker: TestBroker
let consumers: ReturnType<typeof startConsumers>

beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker(auditTopology)])
  consumers = startConsumers(world.deps, { broker, messageKeys: producerKeys })
})
afterAll(async () => {
  await Promise.all(consumers.map((each) => each.stop()))
  await broker.discard({ queues: [...auditQueues, auditQueue.quarantine] })
  await world.stop()
})

async function publish(body: Buffer, headers: Readonly<Record<string, unknown>>): Promise<void> {
  const routingKey = named(broker.prefix, auditQueue.name)
  await broker.publisher.publish({ exchange: '', routingKey, body, messageId: randomUUID(), headers })
}

function sendAs(name: string, ...lines: string[]): Promise<void> {
  const body = Buffer.from(lines.join(''))
  return publish(body, signAuditMessage(producer(name), body))
}

const send = (...lines: string[]) => sendAs('gateway', ...lines)

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    if (Date.now() > deadline) throw new Error('the condition was not met in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const listed = async (tenantId: string, count: number) =>
  until(async () => {
    const { body } = await world.asTenant(tenantId).get('/v1/audit/records?limit=200')
    return body.data.length >= count ? body.data : undefined
  })

test('stores each record of the gateway once, with many records per message', async () => {
  const tenantId = randomUUID()
  const records = Array.from({ length: 50 }, (_, i) => createRecord(tenantId, { user_agent: `ünï-${i} "quoted"\\` }))
  const lines = records.map(encodeAuditLine)
  await send(...lines)
  await send(...lines.slice(25), encodeAuditLine(createRecord(tenantId)))
  const data = await listed(tenantId, 51)
  expect(data).toHaveLength(51)
  expect(data.slice(1)).toEqual(records.reverse())
})

test('a message with an unreadable line is quarantined; its other lines are stored', async () => {
  const tenantId = randomUUID()
  const [good, bad, other] = [createRecord(tenantId), createRecord(tenantId), createRecord(tenantId)].map(
    encodeAuditLine,
  )
  await send(String(good), String(bad).replace('"status":200', '"status":500'), 'ffffffff nonsense\n', String(other))
  expect(await listed(tenantId, 2)).toHaveLength(2)
  expect(await quarantined()).toContain('rejected 2 of 4 lines: unreadable')
})

test('stores the records of a quarantined message after a redrive: the message keeps its signature', async () => {
  const tenantId = randomUUID()
  const body = Buffer.from(encodeAuditLine(createRecord(tenantId)))
  const headers = { ...signAuditMessage(producer('gateway'), body), 'x-quarantine-reason': 'problem' }
  const [name, origin] = [auditQueue.quarantine, auditQueue.name]
  const quarantine = new Quarantine({ broker, name, origins: [origin] })
  const routingKey = named(broker.prefix, name)
  const id = randomUUID()
  await broker.publisher.publish({ exchange: '', routingKey, body, messageId: id, headers })
  expect(await quarantine.redrive({ ids: [id], dryRun: false })).toBe(1)
  expect(await listed(tenantId, 1)).toHaveLength(1)
})

/** Reason of the next message in the quarantine queue. */
async function quarantined(): Promise<string> {
  const channel = await broker.consuming.openChannel()
  const message = await until(async () => {
    const got = await channel.get(named(broker.prefix, auditQueue.quarantine), { noAck: true })
    return got === false ? undefined : got
  })
  await channel.close()
  return String(message.properties.headers?.['x-quarantine-detail'])
}

/** Value of a counter for one reason. */
async function counted(name: string, reason: string): Promise<number> {
  const metric = await world.deps.metrics.registry.getSingleMetric(name)?.get()
  return metric?.values.find(({ labels }) => labels['reason'] === reason)?.value ?? Number.NaN
}

/** An attacker with only a login of the broker can publish any message. */
describe('without the key of its producer, a message is quarantined and counted:', () => {
  const forgeries: Record<string, [string, (body: Buffer) => Readonly<Record<string, unknown>>]> = {
    'an unsigned message': ['unsigned', () => ({})],
    'a header that is not text': ['unsigned', () => ({ 'audit-producer': 'gateway', 'audit-mac': 7 })],
    'no MAC': ['unsigned', () => ({ 'audit-producer': 'gateway' })],
    'an unknown producer': ['unknown_producer', (body) => signAuditMessage(producer('gateway-2'), body)],
    'a signature with another key': [
      'forged',
      (body) => signAuditMessage({ name: 'gateway', key: createSecretKey(randomBytes(32)) }, body),
    ],
    'a signature of another producer': [
      'forged',
      (body) => ({ ...signAuditMessage(producer('rbac'), body), 'audit-producer': 'gateway' }),
    ],
    'an altered body': [
      'forged',
      (body) =>
        signAuditMessage(producer('gateway'), Buffer.from(body.toString().replace('"status":200', '"status":500'))),
    ],
    'an added record': ['forged', () => signAuditMessage(producer('gateway'), Buffer.from(''))],
    'a shortened MAC': [
      'forged',
      (body) => {
        const headers = signAuditMessage(producer('gateway'), body)
        return { ...headers, 'audit-mac': headers['audit-mac']?.slice(0, 20) }
      },
    ],
  }
  test.each(Object.keys(forgeries))('%s', async (name) => {
    const [reason, forgeHeaders] = forgeries[name] ?? ['', () => ({})]
    const tenantId = randomUUID()
    const before = await counted('audit_messages_refused_total', reason)
    const body = Buffer.from(encodeAuditLine(createRecord(tenantId)))
    await publish(body, forgeHeaders(body))
    expect(await quarantined()).toBe(`rejected the message: ${reason.replace('_', ' ')}`)
    expect(await counted('audit_messages_refused_total', reason)).toBe(before + 1)
    // A later message is stored: if the forged message were stored, it would be listed too.
    const genuine = createRecord(tenantId)
    await send(encodeAuditLine(genuine))
    expect(await listed(tenantId, 1)).toEqual([genuine])
  })
})

test('a replayed message is stored once', async () => {
  const tenantId = randomUUID()
  const record = createRecord(tenantId)
  for (let i = 0; i < 3; i++) await send(encodeAuditLine(record))
  const last = createRecord(tenantId)
  await send(encodeAuditLine(last))
  expect(await listed(tenantId, 2)).toEqual([last, record])
})

test('a replayed message is not stored again after its records were purged', async () => {
  const tenantId = randomUUID()
  const occurredAt = new Date(Date.now() - (world.deps.retentionDays - 0.5) * 86_400_000).toISOString()
  await send(encodeAuditLine(createRecord(tenantId, { occurred_at: occurredAt })))
  expect(await quarantined()).toContain('out_of_period')
  expect(await counted('audit_records_refused_total', 'out_of_period')).toBe(1)
})

test('rejects a record from more than a day ahead, which deduplication would not find', async () => {
  const occurredAt = new Date(Date.now() + 1.5 * 86_400_000).toISOString()
  await send(encodeAuditLine(createRecord(randomUUID(), { occurred_at: occurredAt })))
  expect(await quarantined()).toContain('out_of_period')
})

const ada = { type: 'operator' as const, id: 'ada@example.com' }

test('a service records only operators, and a gateway only other actors', async () => {
  const tenantId = randomUUID()
  const byOperator = createRecord(tenantId, { actor: ada, operation: 'createTenant' })
  const byKey = createRecord(tenantId)
  await sendAs('rbac', encodeAuditLine(byOperator), encodeAuditLine(createRecord(tenantId)))
  expect(await quarantined()).toContain('rejected 1 of 2 lines: misattributed')
  await sendAs('gateway-1', encodeAuditLine(byKey), encodeAuditLine({ ...byOperator, id: randomUUID() }))
  expect(await quarantined()).toContain('rejected 1 of 2 lines: misattributed')
  const data: { id: string }[] = await listed(tenantId, 2)
  expect(data.map(({ id }) => id).sort()).toEqual([byOperator.id, byKey.id].sort())
})

test.each([
  ['rbac', 'an operation of another service', { actor: ada, operation: 'rotatePepper' }],
  ['rbac', 'an operation that the gateway forwards', { actor: ada, operation: 'listRoles' }],
  ['gateway', 'an operation of operators', { operation: 'createTenant' }],
  ['gateway', 'an unknown operation', { operation: 'noSuchOperation' }],
])('%s records no call of %s', async (name, _, fields) => {
  const tenantId = randomUUID()
  await sendAs(name, encodeAuditLine(createRecord(tenantId, fields)))
  expect(await quarantined()).toContain('rejected 1 of 1 lines: misattributed')
})

test('a gateway records a request for an unknown path', async () => {
  const tenantId = randomUUID()
  await send(encodeAuditLine(createRecord(tenantId, { operation: null })))
  expect(await listed(tenantId, 1)).toMatchObject([{ operation: null }])
})
