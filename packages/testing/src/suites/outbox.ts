import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Log } from '@payments/chassis/observability/log'
import type { Metrics } from '@payments/chassis/process/metrics'
import { domainEventsName, markerName } from '@payments/contracts/edges/broker-names'
import { binding, declareTopology, domainEvents, named, quorumQueue } from '@payments/messaging/broker/topology'
import { type OutboxDatabase, startOutbox } from '@payments/messaging/outbox/start-outbox'
import { testEventSignKeys } from '../broker/signed-events.ts'
import { type TestBroker, testBroker } from '../broker/test-broker.ts'

/** A service whose verbs emit events. */
export interface OutboxWorld {
  readonly stop: () => Promise<unknown>
  readonly deps: { readonly db: OutboxDatabase; readonly log: Log; readonly metrics: Metrics }
}

const queue = 'seen'
const producer = { name: 'test', keys: testEventSignKeys }

/**
 * The test that each service with an outbox has: the event of a committed change is published.
 *
 * @param startWorld - Starts the service. Called once, before the test.
 * @param change - Makes one change over HTTP; resolves with the fields that its only event has.
 */
export function outboxSuite<World extends OutboxWorld>(
  startWorld: () => Promise<World>,
  change: (world: World) => Promise<{ readonly type: string } & Readonly<Record<string, unknown>>>,
): void {
  let world: World
  let broker: TestBroker
  beforeAll(async () => {
    ;[world, broker] = await Promise.all([startWorld(), testBroker()])
  })
  afterAll(async () => {
    await world.stop()
    const marker = markerName(producer.name)
    await broker.discard({ queues: [queue, marker], exchanges: [domainEventsName, marker] })
  })

  test('an event reaches the exchange after the commit, in the form of the contract', async () => {
    const { db, log, metrics } = world.deps
    await new Promise<void>((resolve) => broker.consuming.watch({ up: resolve }))
    const channel = await broker.consuming.openChannel()
    const [exchange, own] = [domainEvents(broker.prefix), named(broker.prefix, queue)]
    await declareTopology(channel, [quorumQueue(own, { deliveryLimit: null }), binding(own, exchange, '#')])
    const arrived = new Promise<string>((resolve) => {
      void channel.consume(own, (message) => resolve(message?.content.toString('utf8') ?? ''), { noAck: true })
    })
    const outbox = startOutbox({ db, broker, producer, log, metrics: metrics.registry })
    const expected = await change(world)
    expect(JSON.parse(await arrived)).toMatchObject(expected)
    expect(await broker.check()).toBeNull()
    await outbox.stop()
  })
}
