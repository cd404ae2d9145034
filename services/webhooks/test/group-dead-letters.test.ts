import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { cursorAt } from '@payments/contracts/grammar/page'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { kill, letters } from './dead-letter-world.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
let endpoint: Receiver
beforeAll(async () => {
  world = await startWorld({ schedule: '0s', breaker: { attemptsMin: 1_000 } })
  await world.dispatch()
})
afterAll(() => world.stop())
beforeEach(async () => {
  endpoint = await receiver()
  endpoint.respondWith(() => ({ status: 500, body: 'out of order' }))
})
afterEach(() => endpoint.close())

test('groups by cause, by subscription and by event type', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 2, subscribed)
  endpoint.respondWith(() => ({ status: 302, headers: { location: 'https://example.com' } }))
  await kill(world, 1, subscribed, 'payment-proxy.transactions.refund')
  endpoint.respondWith((_, response) => {
    response.destroy()
    return undefined
  })
  await kill(world, 1, subscribed)
  const groups = async (by: string, query = '') => {
    const { body } = await subscribed.tenant.get(`${letters}?group_by=${by}${query}`)
    expect(Object.keys(body)).toEqual(['data', 'next_cursor'])
    return body.data.map((group: { key: string; count: number }) => [group.key, group.count])
  }
  expect(await groups('cause')).toEqual([
    ['status:500', 2],
    ['redirect:302', 1],
    ['reset', 1],
  ])
  expect(await groups('subscription')).toEqual([[subscribed.id, 4]])
  expect(await groups('event_type')).toEqual([
    ['payment-proxy.transactions.capture', 3],
    ['payment-proxy.transactions.refund', 1],
  ])
  expect(await groups('cause', '&error_kind=reset')).toEqual([['reset', 1]])
  expect(await groups('cause', '&limit=1')).toEqual([['status:500', 2]])
  const { body } = await subscribed.tenant.get(`${letters}?group_by=cause&limit=1`)
  expect(new Date(body.data[0].oldest_at) <= new Date(body.data[0].newest_at)).toBe(true)
  const operator = await world.asOperator.get(`/internal/dead-letters/groups?tenant_id=${subscribed.tenantId}`)
  expect(operator.body.data.map((group: { count: number }) => group.count)).toEqual([2, 1, 1])
})

test('gives each group the filter that selects exactly this group', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  const { tenantId, unitId, tenant } = subscribed
  const other = await subscribe(world, endpoint.url, { tenantId, unitId, event_types: ['webhooks.test'] })
  await kill(world, 2, subscribed)
  endpoint.respondWith(() => ({ status: 404 }))
  await kill(world, 1, subscribed, 'payment-proxy.transactions.refund')
  endpoint.respondWith((_, response) => {
    response.destroy()
    return undefined
  })
  await kill(world, 1, subscribed)
  const [after, before] = ['2000-01-01T00:00:00.000Z', '9000-01-01T00:00:00.000Z']
  for (const by of ['cause', 'subscription', 'event_type']) {
    const narrow = `business_unit_id=${unitId}&dead_after=${after}&dead_before=${before}`
    const { data } = (await tenant.get(`${letters}?group_by=${by}&${narrow}`)).body
    expect(data).not.toEqual([])
    for (const { filter, count } of data) {
      expect(filter).toMatchObject({ business_unit_id: unitId, dead_after: after, dead_before: before })
      const listed = await tenant.get(`${letters}?${new URLSearchParams(filter)}`)
      expect(listed.body.data).toHaveLength(count)
      const counted = await tenant.post(`${letters}/redrive`, { filter, dry_run: true })
      expect(counted.body.count).toBe(count)
    }
  }
  const { data } = (await tenant.get(`${letters}?group_by=subscription&error_kind=status&status_code=404`)).body
  expect(data[0].filter).toEqual({ error_kind: 'status', status_code: 404, subscription_id: subscribed.id })
  expect((await tenant.get(`${letters}?group_by=cause&subscription_id=${other.id}`)).body.data).toEqual([])
  const operator = await world.asOperator.get(`/internal/dead-letters/groups?tenant_id=${tenantId}&limit=1`)
  expect(operator.body.data[0].filter).toEqual({ tenant_id: tenantId, error_kind: 'status', status_code: 500 })
})

test('groups the dead letters of a receiver that responds with a status below 100', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  endpoint.respondWith((_, response) => {
    response.socket?.end('HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n')
    return undefined
  })
  await kill(world, 1, subscribed)
  const { body } = await subscribed.tenant.get(`${letters}?group_by=cause`)
  const filter = { error_kind: 'status', status_code: 0 }
  expect(body).toMatchObject({ data: [{ key: 'status:0', filter }], next_cursor: null })
  const counted = await subscribed.tenant.post(`${letters}/redrive`, { filter, dry_run: true })
  expect(counted.body.count).toBe(1)
})

test('gives a group without a known cause no filter', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 1, subscribed)
  await world.db.inTenant(subscribed.tenantId, (tx) => tx.delivery.updateMany({ data: { lastErrorKind: null } }))
  const { body } = await subscribed.tenant.get(`${letters}?group_by=cause`)
  expect(body.data).toMatchObject([{ key: 'unknown', count: 1, filter: null }])
})

test('returns pages, largest group first, then by key', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 2, subscribed, 'payment-proxy.transactions.void')
  await kill(world, 1, subscribed, 'payment-proxy.transactions.capture')
  await kill(world, 1, subscribed, 'payment-proxy.transactions.refund')
  const keys: string[] = []
  let query = ''
  do {
    const { body } = await subscribed.tenant.get(`${letters}?group_by=event_type&limit=1${query}`)
    keys.push(...body.data.map((group: { key: string }) => group.key.split('.').at(-1)))
    query = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
  } while (query !== '')
  expect(keys).toEqual(['void', 'capture', 'refund'])
})

test('shows another tenant no groups', async () => {
  const subscribed = await subscribe(world, endpoint.url)
  await kill(world, 1, subscribed)
  const stranger = world.asTenant(randomUUID())
  expect((await stranger.get(`${letters}?group_by=cause`)).body).toEqual({ data: [], next_cursor: null })
})

const withNul = `group_by=event_type&cursor=${cursorAt([1, '\u0000'])}`

test.each(['group_by=tenant', 'group_by=cause&cursor=x', withNul, 'group_by=cause&status_code=1000'])(
  'rejects ?%s',
  async (query) => {
    const { status, body } = await world.asTenant(randomUUID()).get(`${letters}?${query}`)
    const name = query.split('&').at(-1)?.split('=')[0]
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', `/query/${name}`])
  },
)
