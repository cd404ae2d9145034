import { afterEach, expect, test } from '@jest/globals'
import { PublishError } from '../src/broker/publication.ts'
import { Publisher } from '../src/broker/publisher.ts'
import { ownExchange, quorumQueue, reachedThrough } from '../src/broker/topology.ts'
import { Quarantine } from '../src/quarantine/quarantine.ts'
import { QueueBrowser } from '../src/quarantine/queue-browser.ts'
import { type Cleanup, createCleanup, privateBroker, silent, until } from './world.ts'

const cleanup = createCleanup()
afterEach(() => cleanup.run())

const name = 'audit.quarantine'

async function quarantineWorld(
  later: Cleanup,
  { url, messagesMax = 1_000 }: { url?: string; messagesMax?: number } = {},
) {
  const broker = await privateBroker(later, [name, 'first', 'second', 'foreign'], ['audit.queues'])
  const plain = ['first', 'second', 'foreign'].map((queue) => quorumQueue(broker.name(queue), { deliveryLimit: null }))
  await broker.declare(
    reachedThrough(ownExchange(broker.prefix, 'audit'), [
      quorumQueue(broker.name(name), { deliveryLimit: null }),
      ...plain,
    ]),
  )
  const publisher = new Publisher({ connection: await broker.open('publish'), topology: [], log: silent })
  later.later(() => publisher.close())
  const consuming = await broker.open('consume', url === undefined ? {} : { url })
  if (url === undefined) await until('the connection is up', () => consuming.ready().ready)
  const own = { prefix: broker.prefix, consuming, publisher }
  const quarantine = new Quarantine({ broker: own, name, origins: ['first', 'second'], messagesMax })
  /** Adds a message as a consumer quarantines it. */
  const add = (messageId: string, headers: Record<string, unknown> = {}, body = messageId) =>
    publisher.publish({ exchange: '', routingKey: broker.name(name), body: Buffer.from(body), messageId, headers })
  const from = (queue: string) => ({ 'x-quarantine-queue': broker.name(queue) })
  return { broker, publisher, connection: consuming, quarantine, add, from }
}

const everything = { ids: undefined, dryRun: false }

test('returns each message to the queue that it came from, with its body, id and headers', async () => {
  const { broker, quarantine, add, from } = await quarantineWorld(cleanup)
  const reason = { 'x-quarantine-reason': 'problem', 'x-quarantine-at': new Date().toISOString() }
  await add('a', { ...from('second'), ...reason, 'x-quarantine-routing-key': 'k', signature: 'of a', traceparent: 't' })
  await add('b', { 'x-first-death-queue': broker.name('second'), 'x-first-death-reason': 'delivery_limit' })
  await add('c', {})
  expect(await quarantine.redrive(everything)).toBe(3)
  expect(await quarantine.depth()).toBe(0)
  const second = await broker.take('second')
  expect(second.map(({ messageId, body }) => [messageId, body])).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ])
  // The broker counts deliveries in a header of its own.
  const headers = second.map((one) => Object.entries(one.headers).filter(([header]) => header !== 'x-delivery-count'))
  expect(headers.map(Object.fromEntries)).toEqual([{ signature: 'of a', traceparent: 't' }, {}])
  expect((await broker.take('first')).map(({ messageId }) => messageId)).toEqual(['c'])
})

test('leaves a message of a queue that the service does not consume', async () => {
  const { broker, quarantine, add, from } = await quarantineWorld(cleanup)
  await add('a', from('foreign'))
  await add('b', from('first'))
  expect(await quarantine.redrive(everything)).toBe(1)
  expect((await quarantine.peek({ limit: 10 })).data.map(({ id }) => id)).toEqual(['a'])
  expect(await broker.depth('foreign')).toBe(0)
})

test('redrives and discards the chosen messages only, and none in a dry run', async () => {
  const { broker, quarantine, add, from } = await quarantineWorld(cleanup)
  for (const id of ['a', 'b', 'c', 'd']) await add(id, from('first'))
  expect(await quarantine.redrive({ ids: ['b', 'unknown'], dryRun: true })).toBe(1)
  expect(await quarantine.discard({ ids: undefined, dryRun: true })).toBe(4)
  expect(await quarantine.depth()).toBe(4)
  expect(await quarantine.redrive({ ids: ['b', 'unknown'], dryRun: false })).toBe(1)
  expect(await quarantine.discard({ ids: ['c'], dryRun: false })).toBe(1)
  expect((await quarantine.peek({ limit: 10 })).data.map(({ id }) => id).sort()).toEqual(['a', 'd'])
  expect((await broker.take('first')).map(({ messageId }) => messageId)).toEqual(['b'])
})

test('shows what can be read of a message, in pages, and removes none', async () => {
  const { quarantine, add, from } = await quarantineWorld(cleanup)
  const at = '2026-11-22T10:00:00.000Z'
  const header = { 'x-quarantine-reason': 'problem', 'x-quarantine-detail': 'thing 7', 'x-quarantine-at': at }
  await add('a', { ...from('first'), ...header }, JSON.stringify({ id: 'e', type: 'a.b', tenant_id: 't' }))
  await add('b', from('first'), 'not JSON')
  const first = await quarantine.peek({ limit: 1 })
  const rest = await quarantine.peek({ limit: 1, cursor: first.next_cursor ?? '' })
  expect(rest.next_cursor).toBeNull()
  const shown = [...first.data, ...rest.data].sort((one, other) => (one.id < other.id ? -1 : 1))
  expect(shown).toMatchObject([
    { id: 'a', tenant_id: 't', event_type: 'a.b', tenant_event_id: 'e', last_error: 'problem: thing 7', dead_at: at },
    { id: 'b', tenant_id: null, event_type: null, dead_at: null },
  ])
  expect(await quarantine.depth()).toBe(2)
})

test('one call works on the first messages only, so that it holds few in memory', async () => {
  const { quarantine, add, from } = await quarantineWorld(cleanup, { messagesMax: 2 })
  for (const id of ['a', 'b', 'c']) await add(id, from('first'))
  expect(await quarantine.redrive(everything)).toBe(2)
  expect(await quarantine.depth()).toBe(1)
  expect(await quarantine.redrive(everything)).toBe(1)
})

test('pages show each message once, even when no message has an id', async () => {
  const { quarantine, add, from } = await quarantineWorld(cleanup)
  for (const body of ['1', '2', '3']) await add('', from('first'), JSON.stringify({ type: body }))
  const shown: (string | null)[] = []
  for (let cursor: string | null = ''; cursor !== null && shown.length < 6; ) {
    const page = await quarantine.peek({ limit: 1, ...(cursor === '' ? {} : { cursor }) })
    shown.push(...page.data.map((one) => one.event_type))
    cursor = page.next_cursor
  }
  expect(shown).toEqual(['1', '2', '3'])
})

test('a redrive that fails in between returns what was published, and keeps the rest in quarantine', async () => {
  const { broker, publisher, quarantine, add, from } = await quarantineWorld(cleanup)
  const ids = Array.from({ length: 250 }, (_, index) => `m${index}`)
  await Promise.all(ids.map((id) => add(id, from('first'))))
  const publish = publisher.publish.bind(publisher)
  let calls = 0
  publisher.publish = (publication) => {
    calls += 1
    return calls === 150 ? Promise.reject(new PublishError('timeout', 'no confirm')) : publish(publication)
  }
  expect(await quarantine.redrive(everything)).toBe(199)
  expect(calls).toBe(200)
  expect([await quarantine.depth(), await broker.depth('first')]).toEqual([51, 199])
  publisher.publish = publish
  expect(await quarantine.redrive(everything)).toBe(51)
  const returned = (await broker.take('first')).map(({ messageId }) => messageId)
  expect(returned.sort()).toEqual(ids.sort())
})

test('a redrive rejects with service_unavailable when no message can be published', async () => {
  const { publisher, quarantine, add, from } = await quarantineWorld(cleanup)
  for (const id of ['a', 'b']) await add(id, from('first'))
  publisher.publish = () => Promise.reject(new PublishError('timeout', 'no confirm'))
  await expect(quarantine.redrive(everything)).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(await quarantine.depth()).toBe(2)
})

test('a browse has at most as many messages as AMQP can prefetch', async () => {
  const { connection } = await quarantineWorld(cleanup)
  const createBrowser = (messagesMax: number) => new QueueBrowser({ connection, topology: [], messagesMax })
  expect(() => createBrowser(65_535)).not.toThrow()
  for (const bound of [0, 1.5, 65_536]) expect(() => createBrowser(bound)).toThrow(RangeError)
})

test('rejects with service_unavailable while the broker cannot be reached', async () => {
  const { quarantine } = await quarantineWorld(cleanup, { url: 'amqp://127.0.0.1:9/' })
  const calls = [
    quarantine.depth(),
    quarantine.peek({ limit: 1 }),
    quarantine.redrive(everything),
    quarantine.discard(everything),
  ]
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'service_unavailable' })
})
