import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('listRoles', () => {
  test('pages contain every role once, newest first', async () => {
    const { tenant } = await world.onboard()
    const first = await world.asTenant(tenant.id).get('/v1/rbac/roles?limit=1')
    const second = await world.asTenant(tenant.id).get(`/v1/rbac/roles?limit=1&cursor=${first.body.next_cursor}`)
    expect(first.body.data[0].id > second.body.data[0].id).toBe(true)
    expect(second.body.next_cursor).toBeNull()
  })

  test.each([
    ['limit=0', '/query/limit'],
    ['limit=201', '/query/limit'],
    ['limit=many', '/query/limit'],
    ['cursor=!', '/query/cursor'],
    ['sort=name', '/query/sort'],
  ])('rejects %s and names the parameter', async (query, pointer) => {
    const reply = await world.asTenant(randomUUID()).get(`/v1/rbac/roles?${query}`)
    expect(reply.status).toBe(400)
    expect(reply.body.errors[0].pointer).toBe(pointer)
  })

  test('contains no role of another tenant', async () => {
    await world.onboard()
    const reply = await world.asTenant(randomUUID()).get('/v1/rbac/roles')
    expect(reply.body).toEqual({ data: [], next_cursor: null })
  })

  test('needs rbac:ReadRole', async () => {
    const reply = await world.asTenant(randomUUID(), ['apikey:ReadKey']).get('/v1/rbac/roles')
    expect([reply.status, reply.body.code]).toEqual([403, 'permission_denied'])
  })
})

test('the database shows no rows to a transaction without a tenant', async () => {
  const { tenant } = await world.onboard()
  const count = (work: typeof world.db.acrossTenants) =>
    work((tx) => tx.$queryRawUnsafe<[{ count: bigint }]>('SELECT count(*) FROM roles')).then(([row]) =>
      Number(row.count),
    )
  expect(await count((work) => world.db.inTenant('', work))).toBe(0)
  expect(await count((work) => world.db.inTenant(tenant.id, work))).toBe(2)
})
