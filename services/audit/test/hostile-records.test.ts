/** @slow It measures slow functions with every hostile text. */
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  auditMessageBytesMax,
  auditQueue,
  encodeAuditLine,
  signAuditMessage,
} from '@payments/contracts/edges/audit-line'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { auditQueues, auditTopology } from '@payments/messaging/broker/audit-topology'
import { named } from '@payments/messaging/broker/topology'
import { type TestBroker, testBroker } from '@payments/testing/broker/test-broker'
import { hostileTexts } from '@payments/testing/generators/hostile-text'
import { slowWorks } from '@payments/testing/runner/held-time'
import { until } from '@payments/testing/services/until'
import { startConsumers } from '../src/consumers.ts'
import { createRecord, startWorld, type World } from './world.ts'

/** Messages of the greatest size, whose records have hostile texts wherever the contract accepts any. */

const producer = { name: 'gateway', key: createSecretKey(randomBytes(32)) }
let world: World
let broker: TestBroker
let consumers: ReturnType<typeof startConsumers>
beforeAll(async () => {
  ;[world, broker] = await Promise.all([startWorld(), testBroker(auditTopology)])
  consumers = startConsumers(world.deps, { broker, messageKeys: new Map([[producer.name, producer.key]]) })
  await until(() => consumers.every((one) => one.ready().ready))
})
afterAll(async () => {
  await Promise.all(consumers.map((one) => one.stop()))
  await broker.discard({ queues: [...auditQueues, auditQueue.quarantine] })
  await world.stop()
})

const publish = (body: Buffer) =>
  broker.publisher.publish({
    exchange: '',
    routingKey: named(broker.prefix, auditQueue.name),
    body,
    messageId: randomUUID(),
    headers: signAuditMessage(producer, body),
  })

const hostileRecord = (tenantId: string, text: string): AuditRecord =>
  createRecord(tenantId, {
    ...{ method: text, path: text, permission: text, code: text, ip: text, user_agent: text, status: 400 },
    ...{ outcome: 'rejected', actor: { type: 'user', id: text } },
  })

/** A message with as many records as fit. */
function fullMessage(tenantId: string, text: string): { body: Buffer; count: number } {
  const lines: string[] = []
  for (let bytes = 0; ; ) {
    const line = encodeAuditLine(hostileRecord(tenantId, text))
    bytes += Buffer.byteLength(line)
    if (bytes > auditMessageBytesMax) return { body: Buffer.from(lines.join('')), count: lines.length }
    lines.push(line)
  }
}

const countStored = async (tenantId: string): Promise<number> => {
  const [row] = await world.rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM audit_records WHERE tenant_id = $1::uuid',
    tenantId,
  )
  return row?.count ?? 0
}

const quarantined = () => broker.depth(auditQueue.quarantine)

test.each([10, 400, 2_500])(
  'stores full messages with texts of %i characters, and never holds the event loop for long',
  async (length) => {
    const works = hostileTexts(length).map(([what, text]): [string, () => Promise<void>] => {
      const tenantId = randomUUID()
      // As many as are in progress at once.
      const messages = Array.from({ length: 8 }, () => fullMessage(tenantId, text))
      const count = messages.reduce((sum, message) => sum + message.count, 0)
      return [
        what,
        async () => {
          await Promise.all(messages.map(({ body }) => publish(body)))
          await until(async () => (await countStored(tenantId)) === count)
        },
      ]
    })
    expect(await slowWorks(works)).toEqual([])
    expect(await quarantined()).toBe(0)
  },
)

test('a record with text that cannot be stored is quarantined, and the others of its message are stored', async () => {
  const tenantId = randomUUID()
  const unstorable = ['\u0000', '\ud800', 'a\udc00b'].map((text) => hostileRecord(tenantId, text))
  const formatLine = (json: string) => `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`
  const lines = [createRecord(tenantId), ...unstorable, createRecord(tenantId)].map((record) => JSON.stringify(record))
  await publish(Buffer.from(lines.map(formatLine).join('')))
  await until(async () => (await quarantined()) === 1)
  expect(await countStored(tenantId)).toBe(2)
})

test('a message of other text is quarantined, never holds the event loop for long, and the next one is stored', async () => {
  const lists = ['[]', '{}', '0', '\n'].map((item) => item.repeat(auditMessageBytesMax / item.length))
  const texts = [...hostileTexts(auditMessageBytesMax / 4).map(([, text]) => text), ...lists.slice(0, 3)]
  const work = async () => {
    const before = await quarantined()
    await Promise.all(texts.map((text) => publish(Buffer.from(text))))
    await until(async () => (await quarantined()) === before + texts.length)
  }
  expect(await slowWorks([['messages without records', work]])).toEqual([])
  const tenantId = randomUUID()
  await publish(fullMessage(tenantId, 'a').body)
  await until(async () => (await countStored(tenantId)) > 0)
  expect(await countStored(tenantId)).toBe(fullMessage(tenantId, 'a').count)
})
