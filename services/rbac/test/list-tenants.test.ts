import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
let ids: string[]
beforeAll(async () => {
  world = await startWorld()
  ids = []
  for (const name of ['Acme', 'Umlaut Öl', 'Third']) ids.unshift((await world.onboard(name)).tenant.id)
  await world.asService.post(`/internal/tenants/${ids[1]}/suspend`)
})
afterAll(() => world.stop())

const list = async (query = '') => {
  const { status, body } = await world.asService.get(`/internal/tenants${query}`)
  expect(status).toBe(200)
  return body as { data: { id: string; name: string; status: string }[]; next_cursor: string | null }
}

describe('listTenants', () => {
  test('lists every tenant, newest first', async () => {
    const { data, next_cursor: next } = await list()
    expect(data.map(({ id, name, status }) => [id, name, status])).toEqual([
      [ids[0], 'Third', 'active'],
      [ids[1], 'Umlaut Öl', 'suspended'],
      [ids[2], 'Acme', 'active'],
    ])
    expect(next).toBeNull()
  })

  test('pages contain every tenant once', async () => {
    const found: string[] = []
    let query = '?limit=2'
    for (;;) {
      const { data, next_cursor: next } = await list(query)
      found.push(...data.map(({ id }) => id))
      if (next === null) break
      query = `?limit=2&cursor=${next}`
    }
    expect(found).toEqual(ids)
  })

  test.each([
    ['active', [0, 2]],
    ['suspended', [1]],
  ])('lists the %s tenants only', async (status, expected) => {
    const { data } = await list(`?status=${status}`)
    expect(data.map(({ id }) => id)).toEqual(expected.map((index) => ids[index]))
  })

  test('a page of a status continues after the last tenant of that status', async () => {
    const first = await list('?status=active&limit=1')
    const second = await list(`?status=active&limit=1&cursor=${first.next_cursor}`)
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([ids[0], ids[2]])
    expect(second.next_cursor).toBeNull()
  })

  test.each([
    ['limit=0', '/query/limit'],
    ['limit=201', '/query/limit'],
    ['cursor=!', '/query/cursor'],
    ['status=deleted', '/query/status'],
    ['name=Acme', '/query/name'],
  ])('rejects %s and names the parameter', async (query, pointer) => {
    const { status, body } = await world.asService.get(`/internal/tenants?${query}`)
    expect([status, body.errors[0].pointer]).toEqual([400, pointer])
  })
})
