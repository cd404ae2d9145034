import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createdAuthInfo, path, publicNames } from './auth-info-world.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(publicNames)
})
afterAll(() => world.stop())

test('returns pages of the auth infos of the tenant, newest first, with masked credentials', async () => {
  const first = await createdAuthInfo(world, 'basic')
  const second = await createdAuthInfo(world, 'custom_headers', first.tenantId)
  await createdAuthInfo(world, 'basic')
  const page = await first.tenant.get(`${path}?limit=1`)
  const rest = await first.tenant.get(`${path}?limit=1&cursor=${page.body.next_cursor}`)
  expect(page.body.data).toEqual([(await first.tenant.get(second.path)).body])
  expect(rest.body).toEqual({ data: [(await first.tenant.get(first.path)).body], next_cursor: null })
  expect(page.text + rest.text).not.toMatch(/[pk]-[\w-]*secret/)
})

test('shows another tenant no auth infos', async () => {
  await createdAuthInfo(world)
  expect((await world.asTenant(randomUUID()).get(path)).body).toEqual({ data: [], next_cursor: null })
})

test.each(['limit=0', 'limit=x', 'cursor=x', 'page=2'])('rejects ?%s', async (query) => {
  const { status, body } = await world.asTenant(randomUUID()).get(`${path}?${query}`)
  expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', `/query/${query.split('=')[0]}`])
})
