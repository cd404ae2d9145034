import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { auditQueue, encodeAuditLine } from '@payments/contracts/audit-line'
import { named } from '@payments/messaging/topology'
import { type PrivateBroker, privateBroker } from '@payments/testing/broker'
import { type Broker, openBroker } from '../src/broker.ts'
import { startConsumers } from '../src/consumers.ts'
import { recordOf, startWorld, type World } from './world.ts'

let world: World
let privately: PrivateBroker
let broker: Broker
let consumer: ReturnType<typeof startConsumers>

beforeAll(async () => {
  world = await startWorld()
  privately = await privateBroker()
  broker = await openBroker(privately, world.deps.log)
  consumer = startConsumers(world.deps, broker)
})
afterAll(async () => {
  await consumer.stop()
  await broker.close()
  await privately.discard({
    queues: [auditQueue.name, auditQueue.quarantine].map((name) => named(privately.prefix, name)),
  })
  await world.stop()
})

async function send(...lines: string[]): Promise<void> {
  const routingKey = named(privately.prefix, auditQueue.name)
  await broker.publisher.publish({
    exchange: '',
    routingKey,
    body: Buffer.from(lines.join('')),
    messageId: randomUUID(),
  })
}

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

test('what the gateway sends is stored, many records to a message, once', async () => {
  const tenantId = randomUUID()
  const records = Array.from({ length: 50 }, (_, i) => recordOf(tenantId, { user_agent: `ünï-${i} "quoted"\\` }))
  const lines = records.map(encodeAuditLine)
  await send(...lines)
  await send(...lines.slice(25), encodeAuditLine(recordOf(tenantId)))
  const data = await listed(tenantId, 51)
  expect(data).toHaveLength(51)
  expect(data.slice(1)).toEqual(records.reverse())
})

test('a line that is not what was written goes to quarantine with its message; the others are stored', async () => {
  const tenantId = randomUUID()
  const [good, bad, other] = [recordOf(tenantId), recordOf(tenantId), recordOf(tenantId)].map(encodeAuditLine)
  await send(String(good), String(bad).replace('"status":200', '"status":500'), 'ffffffff nonsense\n', String(other))
  expect(await listed(tenantId, 2)).toHaveLength(2)
  const channel = await broker.connection.openChannel()
  const message = await until(async () => {
    const got = await channel.get(named(privately.prefix, auditQueue.quarantine), { noAck: true })
    return got === false ? undefined : got
  })
  expect(message.properties.headers?.['x-quarantine-detail']).toContain('2 lines')
  await channel.close()
})
