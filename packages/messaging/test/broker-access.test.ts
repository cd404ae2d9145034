import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { auditQueue } from '@payments/contracts/edges/audit-line'
import { brokerUsers, buildBrokerAccess } from '@payments/contracts/edges/broker-access'
import { listRoutingKeys } from '@payments/contracts/edges/event-routing'
import { eventTypesByService } from '@payments/contracts/edges/events'
import { quarantineQueues } from '@payments/contracts/endpoints/quarantine'
import { buildAmqpUrls, developmentPrefix as prefix } from '@payments/devkit/servers/broker-users'
import { testAddress } from '@payments/devkit/tests/test-address'
import amqp, { type Channel, type ChannelModel, type ConfirmChannel } from 'amqplib'
import { auditExchange, auditTopology } from '../src/broker/audit-topology.ts'
import {
  declareTopology,
  domainEvents,
  markerQueueName,
  markerTopology,
  named,
  ownExchange,
  quorumQueue,
  reachedThrough,
  topicExchange,
} from '../src/broker/topology.ts'

/**
 * The reach of the password of one process at a real broker with the permissions of an installation. The names are
 * those of `npm start`, so that the permissions of event types apply, which name their exchange in full.
 */
const admin = testAddress('TEST_AMQP_URL')
const urls = buildAmqpUrls(admin)
const events = domainEvents(prefix)
const quarantineName = (service: string) => named(prefix, `${service}.quarantine`)
const services = [...eventTypesByService.keys()]
const authorized = 'payment-proxy.transactions.authorize.and.capture'

let owner: ChannelModel
const opened: ChannelModel[] = []
beforeAll(async () => {
  owner = await amqp.connect(admin)
  const channel = await owner.createChannel()
  await declareTopology(channel, auditTopology(prefix))
  for (const service of services) {
    await declareTopology(channel, reachedThrough(ownExchange(prefix, service), [declareQuarantine(service)]))
    await declareTopology(channel, markerTopology(markerQueueName(prefix, service)))
  }
  await channel.close()
}, 60_000)
afterAll(async () => {
  const channel = await owner.createChannel()
  for (const service of services) {
    for (const name of [quarantineName(service), markerQueueName(prefix, service)]) await channel.deleteQueue(name)
    for (const name of [ownExchange(prefix, service), markerQueueName(prefix, service)])
      await channel.deleteExchange(name)
  }
  await channel.deleteQueue(named(prefix, auditQueue.name))
  await Promise.all([owner, ...opened].map((connection) => connection.close()))
})

const declareQuarantine = (service: string) => quorumQueue(quarantineName(service), { deliveryLimit: null })

const connected = new Map<string, Promise<ChannelModel>>()
async function connectAs(name: string): Promise<ChannelModel> {
  const known = connected.get(name) ?? amqp.connect(urls[name] ?? '')
  connected.set(name, known)
  const connection = await known
  if (!opened.includes(connection)) opened.push(connection)
  return connection
}

/** `allowed`, or the reason of the broker. */
async function attempt(name: string, work: (channel: ConfirmChannel) => Promise<unknown>): Promise<string> {
  const channel = await (await connectAs(name)).createConfirmChannel()
  const closed = new Promise<string>((resolve) => channel.once('error', (error: Error) => resolve(error.message)))
  try {
    await work(channel)
    await channel.close()
    return 'allowed'
  } catch (error) {
    // The error of a publication says only that the channel closed.
    return /ACCESS_REFUSED/.test(String(error)) ? String(error) : await closed
  }
}
const refused = expect.stringContaining('ACCESS_REFUSED')

const publish =
  (exchange: string, key: string, headers = {}) =>
  (channel: ConfirmChannel) =>
    new Promise<void>((resolve, reject) => {
      channel.once('error', reject)
      channel.publish(exchange, key, Buffer.from('{}'), { headers }, (error) => (error ? reject(error) : resolve()))
    })

describe.each(brokerUsers.map((name) => [name]))('the password of %s', (name) => {
  const own = eventTypesByService.get(name) ?? new Set<string>()
  const foreign = services.filter((service) => service !== name)

  test('publishes the events of its contract, and no other', async () => {
    const types = services.flatMap((service) => [...(eventTypesByService.get(service) ?? [])])
    expect(types.length).toBeGreaterThan(30)
    const keys = types.flatMap((type) => listRoutingKeys(type).map((key) => ({ key, isOwn: own.has(type) })))
    const results = await Promise.all(keys.map(({ key }) => attempt(name, publish(events, key))))
    expect(results).toEqual(keys.map(({ isOwn }) => (isOwn ? 'allowed' : refused)))
  }, 60_000)

  test('publishes to no queue of another service', async () => {
    const targets = foreign.flatMap((service) =>
      ['', ownExchange(prefix, service)].map((to) => [to, quarantineName(service)]),
    )
    const results = await Promise.all(targets.map(([to = '', queue = '']) => attempt(name, publish(to, queue))))
    expect(results).toEqual(targets.map(() => refused))
    expect(await attempt(name, publish(auditExchange(prefix), named(prefix, auditQueue.name)))).toBe('allowed')
  })

  test('reads, purges, declares, binds and deletes nothing of another service', async () => {
    for (const service of foreign) {
      const queue = quarantineName(service)
      const marker = markerQueueName(prefix, service)
      const attempts: Record<string, (channel: Channel) => Promise<unknown>> = {
        get: (channel) => channel.get(queue),
        consume: (channel) => channel.consume(queue, () => {}),
        purge: (channel) => channel.purgeQueue(queue),
        delete: (channel) => channel.deleteQueue(queue),
        declare: (channel) => declareTopology(channel, [declareQuarantine(service)]),
        bind: (channel) => channel.bindQueue(queue, events, authorized),
        unbind: (channel) => channel.unbindQueue(queue, ownExchange(prefix, service), queue),
        'delete the marker': (channel) => channel.deleteQueue(marker),
        'delete the exchange': (channel) => channel.deleteExchange(ownExchange(prefix, service)),
      }
      const results = await Promise.all(Object.values(attempts).map((work) => attempt(name, work)))
      expect([service, results]).toEqual([service, results.map(() => refused)])
    }
    const isOwner = name === 'webhooks'
    const declaring = await attempt(name, (channel) => declareTopology(channel, [topicExchange(events)]))
    expect(declaring).toEqual(isOwner ? 'allowed' : refused)
    if (!isOwner) expect(await attempt(name, (channel) => channel.deleteExchange(events))).toEqual(refused)
    const anyName = `payments-dev.${randomUUID()}`
    expect(await attempt(name, (channel) => channel.assertQueue(anyName))).toEqual(refused)
    expect(await attempt(name, (channel) => channel.assertExchange(anyName, 'fanout'))).toEqual(refused)
  }, 60_000)

  test('binds no queue to events that it does not consume', async () => {
    const binding = (pattern: string) => (channel: Channel) => channel.bindQueue(quarantineName(name), events, pattern)
    const through = await attempt(name, (channel) => channel.bindExchange(ownExchange(prefix, name), events, '#'))
    expect(through).toEqual(name === 'webhooks' ? 'allowed' : refused)
    const patterns = ['#', '*.*.*', 'payment-proxy.#', 'uninvited.payment-proxy.#', 'api-key.keys.reveal']
    for (const pattern of patterns)
      expect([pattern, await attempt(name, binding(pattern))]).toEqual([
        pattern,
        name === 'webhooks' ? 'allowed' : refused,
      ])
  })
})

test.each(services)('%s uses its own queues', async (service) => {
  const queue = declareQuarantine(service)
  const exchange = ownExchange(prefix, service)
  const target = { exchange, queue: queue.name }
  const other = quorumQueue(named(prefix, `${service}.work`), { deliveryLimit: 5, deadLetterTo: target })
  const work = async (channel: ConfirmChannel) => {
    await declareTopology(channel, reachedThrough(exchange, [queue, other]))
    await declareTopology(channel, markerTopology(markerQueueName(prefix, service)))
    await publish(exchange, other.name)(channel)
    await channel.get(other.name)
    await channel.deleteQueue(other.name)
  }
  expect(await attempt(service, work)).toBe('allowed')
})

test('every quarantine queue is named after its service', () => {
  for (const [service, queue] of Object.entries(quarantineQueues)) expect(queue).toBe(`${service}.quarantine`)
})

test('a prefix with special characters gives access to its own names only', () => {
  const { write } = buildBrokerAccess('communication', 'a\\.b\\.')
  expect(new RegExp(write).test('a.b.domain-events')).toBe(true)
  expect(new RegExp(write).test('a-b.domain-events')).toBe(false)
  expect(new RegExp(write).test('a.b.domain-events.copy')).toBe(false)
})
