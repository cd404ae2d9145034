import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('listKeys', () => {
  test('pages contain every key once, newest first, masked, also while keys are added', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const created: string[] = []
    for (let i = 0; i < 5; i += 1) created.push((await user.create({ name: `key ${i}` })).body.id)
    const first = await user.list('?limit=2')
    await user.create({ name: 'late' })
    const second = await user.list(`?limit=2&cursor=${first.body.next_cursor}`)
    const third = await user.list(`?limit=2&cursor=${second.body.next_cursor}`)
    const pages = [first, second, third].flatMap(({ body }) => body.data as { id: string; value: string }[])
    expect(pages.map(({ id }) => id)).toEqual(created.reverse())
    expect(pages.every(({ value }) => /^psk_dev_….{4}$/u.test(value))).toBe(true)
    expect(third.body.next_cursor).toBeNull()
  })

  test('contains no key of another tenant', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    await theirs.by().create()
    expect((await ours.by().list()).body).toEqual({ data: [], next_cursor: null })
  })

  test.each([
    ['limit=0', '/query/limit'],
    ['limit=201', '/query/limit'],
    ['limit=ten', '/query/limit'],
    ['cursor=nonsense', '/query/cursor'],
  ])('rejects ?%s with 400 and names the parameter', async (query, pointer) => {
    const tenant = await world.tenant()
    const reply = await tenant.by().list(`?${query}`)
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, pointer])
  })
})
