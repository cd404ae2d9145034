import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Changes } from '@payments/contracts/services/webhooks/changes'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import { startWaits } from '../src/changes/waits.ts'
import { sequencesBehind } from '../src/domain/changes.ts'
import { dead, startTask } from './dead-letter-world.ts'
import { type Subscribed, settled, someEvent, startWorld, subscribe, type World } from './world.ts'

const path = '/v1/webhooks/changes'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000, connectErrorsMax: 2 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

const changes = async ({ tenant }: Pick<Subscribed, 'tenant'>, query: string): Promise<Changes> => {
  const { status, body } = await tenant.get(`${path}?${query}`)
  expect(status).toBe(200)
  return body
}

const now = async (subscribed: Pick<Subscribed, 'tenant'>) => (await changes(subscribed, 'wait_seconds=20')).next_cursor

/** Collects topics until all of them have changed. */
async function changed(subscribed: Subscribed, after: string, topics: readonly string[]) {
  const seen = new Set<string>()
  let cursor = after
  await until(async () => {
    const found = await changes(subscribed, `wait_seconds=5&after=${cursor}`)
    cursor = found.next_cursor
    for (const topic of found.topics) seen.add(topic)
    return topics.every((topic) => seen.has(topic))
  })
  return [...seen].sort()
}

const publish = ({ tenantId, unitId }: Subscribed) => world.publish(someEvent(tenantId, unitId))

test('responds at once without after, and to a change before the request', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const start = await changes(subscribed, 'wait_seconds=20')
  expect(start.topics).toEqual([])
  await publish(subscribed)
  await settled(subscribed, 'delivered')
  expect(await changed(subscribed, start.next_cursor, ['deliveries', 'events'])).toEqual(['deliveries', 'events'])
})

test('a subscription that another request changes ends a wait', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const { tenant, unitId, id } = subscribed
  const cursor = await now(subscribed)
  const address = `/v1/webhooks/${unitId}/webhooks/${id}`
  expect((await tenant.put(address, { label: 'changed' })).status).toBe(200)
  const renamed = await changes(subscribed, `wait_seconds=20&after=${cursor}`)
  expect(renamed.topics).toContain('subscriptions')
  expect((await tenant.delete(address)).status).toBe(204)
  const deleted = await changes(subscribed, `wait_seconds=20&after=${renamed.next_cursor}`)
  expect(deleted.topics).toContain('subscriptions')
})

test('with wait_seconds=0, responds at once, with the topics that changed', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const cursor = await now(subscribed)
  expect(await changes(subscribed, `wait_seconds=0&after=${cursor}`)).toEqual({ topics: [], next_cursor: cursor })
  await publish(subscribed)
  await settled(subscribed, 'delivered')
  await changed(subscribed, cursor, ['events'])
  expect((await changes(subscribed, `wait_seconds=0&after=${cursor}`)).topics).toContain('events')
})

test('a wait ends when something changes, and changes of other tenants do not end it', async () => {
  const [mine, other] = [await subscribe(world, endpoint.url), await subscribe(world, endpoint.url)]
  const cursor = await now(mine)
  const ended: Changes[] = []
  const wait = changes(mine, `wait_seconds=20&after=${cursor}`).then((found) => ended.push(found))
  await publish(other)
  expect(await changed(other, await now({ tenant: world.asTenant(randomUUID()) }), ['events'])).toContain('events')
  expect(ended).toEqual([])
  await publish(mine)
  await wait
  expect(ended[0]?.topics).toContain('events')
})

test('a wait ends after its time without topics, with the same cursor', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const cursor = await now(subscribed)
  expect(await changes(subscribed, `wait_seconds=1&after=${cursor}`)).toEqual({ topics: [], next_cursor: cursor })
})

test('names dead letters and tasks', async () => {
  endpoint.respondWith(() => ({ status: 500 }))
  const subscribed = await subscribe(world, endpoint.url)
  const start = await now(subscribed)
  await publish(subscribed)
  expect(await changed(subscribed, start, ['dead_letters'])).toContain('deliveries')
  expect(await dead(subscribed)).toHaveLength(1)
  const before = await now(subscribed)
  await startTask(subscribed, 'discard', { filter: {} })
  expect(await changed(subscribed, before, ['tasks', 'dead_letters'])).toContain('deliveries')
})

test('names the health of subscriptions when a circuit breaker opens, and when a receiver is gone', async () => {
  const broken = await subscribe(world, 'http://127.0.0.1:1/closed')
  const start = await now(broken)
  await publish(broken)
  await publish(broken)
  expect(await changed(broken, start, ['subscriptions'])).toContain('subscriptions')
  endpoint.respondWith(() => ({ status: 410 }))
  const gone = await subscribe(world, endpoint.url)
  const before = await now(gone)
  await publish(gone)
  expect(await changed(gone, before, ['subscriptions'])).toContain('subscriptions')
})

test('misses no change: who reads the list after each wait sees every event', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const events = Array.from({ length: 60 }, () => someEvent(subscribed.tenantId, subscribed.unitId))
  let cursor = await now(subscribed)
  const published = (async () => {
    for (const event of events) await world.publish(event)
  })()
  let seen = 0
  while (seen < events.length) {
    const found = await changes(subscribed, `wait_seconds=20&after=${cursor}`)
    expect(found.topics).not.toEqual([])
    cursor = found.next_cursor
    const { body } = await subscribed.tenant.get('/v1/webhooks/events?limit=200')
    seen = body.data.length
  }
  await published
  expect(seen).toBe(events.length)
})

test('a tenant with too many waits, also of clients that left, gets no more, and another tenant does', async () => {
  const waits = startWaits({ db: world.db, log: world.log, perTenantMax: 2 })
  const [busy, quiet] = [randomUUID(), randomUUID()]
  const none = { deliveries: 0, dead_letters: 0, events: 0, tasks: 0, subscriptions: 0 }
  const ended: string[] = []
  const wait = (tenantId: string, name: string) => waits.wait(tenantId, none, 20_000).then(() => void ended.push(name))
  const open = [wait(busy, 'first'), wait(busy, 'second')]
  await until(async () => waits.open() === 2)
  await wait(busy, 'third')
  open.push(wait(quiet, 'of another tenant'))
  await until(async () => waits.open() === 3)
  expect(ended).toEqual(['third'])
  await waits.stop()
  await Promise.all(open)
})

test('a drain ends every wait at once', async () => {
  const other = await startWorld()
  const subscribed = await subscribe(other, endpoint.url)
  const cursor = await now(subscribed)
  const waits = [1, 2].map(() => changes(subscribed, `wait_seconds=20&after=${cursor}`))
  await other.waits.stop()
  expect(await Promise.all(waits)).toEqual(waits.map(() => ({ topics: [], next_cursor: cursor })))
  await other.stop()
})

test.each(['wait_seconds=-1', 'wait_seconds=21', 'after=', 'after=abc', 'after=WyJhIl0', 'page=2'])(
  'rejects ?%s',
  async (query) => {
    const { status, body } = await world.asTenant(randomUUID()).get(`${path}?${query}`)
    expect([status, body.errors[0].pointer]).toEqual([400, `/query/${query.split('=')[0]}`])
  },
)

test('a wait ends at once when its client leaves', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const waits = startWaits({ db: world.db, log: world.log, perTenantMax: 1 })
  const known = sequencesBehind(await now(subscribed))
  const abort = new AbortController()
  const waiting = waits.wait(subscribed.tenantId, known, 60_000, abort.signal)
  await until(async () => waits.open() === 1)
  abort.abort()
  await waiting
  expect(waits.open()).toBe(0)
  await waits.stop()
})
