import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { dlq, path, type QueueWorld, quarantine, startQueueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await startQueueWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.openEndpoint()
})
afterEach(() => world.clear())

test('shows dead letters without removing them, oldest first, in pages', async () => {
  const [first, second] = [await world.killOne(), await world.killOne()]
  await world.depthIs('webhooks.dead-letters', 2)
  const page = await world.asOperator.get(`${path}/messages?limit=1`)
  expect(page.body.data).toEqual([
    {
      id: first.delivery.id,
      tenant_id: first.subscribed.tenantId,
      business_unit_id: first.subscribed.unitId,
      event_type: first.event.type,
      tenant_event_id: first.event.id,
      destination_url: first.delivery.destination_url,
      attempts: 2,
      last_error: 'status: responded with 500',
      dead_at: expect.any(String),
    },
  ])
  const rest = await world.asOperator.get(`${path}/messages?limit=1&cursor=${page.body.next_cursor}`)
  expect([rest.body.data[0].id, rest.body.next_cursor]).toEqual([second.delivery.id, null])
  expect((await world.queue('webhooks.dead-letters')).depth).toBe(2)
})

test('shows the dead letters of one tenant', async () => {
  const [, second] = [await world.killOne(), await world.killOne()]
  await world.depthIs('webhooks.dead-letters', 2)
  const { tenantId } = second.subscribed
  const page = await world.asOperator.get(`${path}/messages?tenant_id=${tenantId}`)
  expect(page.body.data.map(({ id, tenant_id }: any) => [id, tenant_id])).toEqual([[second.delivery.id, tenantId]])
  const of = await world.asOperator.get(`${quarantine}/messages?tenant_id=${tenantId}`)
  const errors = [{ pointer: '/query/tenant_id', detail: 'is not supported for this queue' }]
  expect([of.status, of.body.errors]).toEqual([400, errors])
})

test('stores unreadable messages, shows the reason, and does not delay other messages', async () => {
  await world.unreadable('{"type":"a.b","id":7}')
  await world.depthIs('webhooks.quarantine', 1)
  const peeked = await world.asOperator.get(`${quarantine}/messages`)
  expect(peeked.body.data).toEqual([
    expect.objectContaining({
      event_type: 'a.b',
      tenant_event_id: null,
      last_error: expect.stringMatching(/^unreadable/),
    }),
  ])
  await world.killOne()
})

test('shows quarantined messages in pages, and removes none', async () => {
  for (const content of ['one', 'two', 'three']) await world.unreadable(content)
  await world.depthIs('webhooks.quarantine', 3)
  const ids: string[] = []
  let query = ''
  do {
    const { body } = await world.asOperator.get(`${quarantine}/messages?limit=2${query}`)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    query = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
  } while (query !== '')
  expect([ids.length, new Set(ids).size]).toEqual([3, 3])
  await world.depthIs('webhooks.quarantine', 3)
})

test('GET /messages of an unknown queue returns queue_not_found', async () => {
  const reply = await world.asOperator.get(`${dlq}/webhooks.deliveries/messages`)
  expect([reply.status, reply.body.code]).toEqual([404, 'queue_not_found'])
})
