import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('lists every type with description, payload schema and example', async () => {
  const reply = await world.asTenant(randomUUID()).get('/v1/webhooks/event-types')
  expect(reply.body.data).toContainEqual({
    name: 'api-key.keys.delete',
    description: expect.any(String),
    payload_schema: expect.objectContaining({ type: 'object', required: ['id', 'name', 'deleted_at'] }),
    example: null,
  })
  expect(reply.body.data).toContainEqual({
    name: 'business-unit.business-units.create',
    description: expect.any(String),
    payload_schema: expect.objectContaining({ required: ['business_unit'] }),
    example: { business_unit: expect.objectContaining({ name: 'Berlin store', version: 1 }) },
  })
  expect(reply.body.data.length).toBeGreaterThanOrEqual(30)
})

test('returns pages ordered by name, and the same to every tenant', async () => {
  const names = async (query: string, tenantId: string = randomUUID()) => {
    const { body } = await world.asTenant(tenantId).get(`/v1/webhooks/event-types${query}`)
    return { names: body.data.map(({ name }: { name: string }) => name), next: body.next_cursor }
  }
  const all = await names('?limit=200')
  expect(all).toEqual({ names: [...all.names].sort((a: string, b: string) => (a < b ? -1 : 1)), next: null })
  expect(await names('?limit=200')).toEqual(all)
  const first = await names('?limit=2')
  const second = await names(`?limit=2&cursor=${first.next}`)
  expect([...first.names, ...second.names]).toEqual(all.names.slice(0, 4))
})

test.each(['limit=0', 'cursor=%20', 'page=2'])('rejects ?%s', async (query) => {
  const { status, body } = await world.asTenant(randomUUID()).get(`/v1/webhooks/event-types?${query}`)
  expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', `/query/${query.split('=')[0]}`])
})
