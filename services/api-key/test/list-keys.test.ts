import { randomUUID } from 'node:crypto'
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

  test('returns the keys that match every filter, page by page', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const id = async (body: object) => String((await user.create(body)).body.id)
    const plain = await id({ name: 'plain' })
    const till = await id({ name: 'till', expires_at: '2031-01-01T00:00:00.000Z' })
    const disabled = await id({ name: 'till' })
    await user.update(disabled, { enabled: false })
    await user.assign(till, [tenant.viewerRole])
    await world.rows(`UPDATE keys SET created_at = '2026-01-01' WHERE tenant_id = $1::uuid RETURNING id`, tenant.id)
    await world.rows(`UPDATE keys SET last_used_at = '2026-03-01' WHERE id = $1::uuid RETURNING id`, till)
    const found = async (query: string) => (await user.list(`?${query}`)).body.data.map((key: { id: string }) => key.id)

    expect(await found('name=till')).toEqual([disabled, till])
    expect(await found('name=Till')).toEqual([])
    expect(await found(`role_id=${tenant.viewerRole}`)).toEqual([till])
    expect(await found(`role_id=${randomUUID()}`)).toEqual([])
    expect([await found('enabled=false'), await found('enabled=true')]).toEqual([[disabled], [till, plain]])
    expect(await found('unused_since=2026-01-01T00:00:00Z')).toEqual([])
    expect(await found('unused_since=2026-02-01T00:00:00Z')).toEqual([disabled, plain])
    expect(await found('unused_since=2026-03-02T00:00:00Z')).toEqual([disabled, till, plain])
    expect(await found('expires_before=2031-01-02T00:00:00Z')).toEqual([till])
    expect(await found('expires_before=2031-01-01T00:00:00Z')).toEqual([])
    expect(await found('name=till&enabled=true&unused_since=2026-04-01T00:00:00Z')).toEqual([till])

    const first = await user.list('?name=till&limit=1')
    expect([first.body.data[0].id, first.body.next_cursor]).toEqual([disabled, expect.any(String)])
    expect(await found(`name=till&limit=1&cursor=${first.body.next_cursor}`)).toEqual([till])
  })

  test('finds keys by a part of their name in any case, or by the start of their id, and no key of another tenant', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = tenant.by()
    const id = async (name: string) => String((await user.create({ name })).body.id)
    const shop = await id('Shop backend')
    const till = await id('till of the shop')
    const hostile = await id('50%_off')
    const found = async (search: string) =>
      (await user.list(`?search=${encodeURIComponent(search)}`)).body.data.map((key: { id: string }) => key.id)
    expect(await found('SHOP')).toEqual([till, shop])
    const egypt = await id('ÄGYPTEN \u{1f1ea}\u{1f1ec} STRASSE')
    for (const part of ['ägypten', 'Ägy', 'straße']) expect(await found(part)).toEqual([egypt])
    expect(await found('agypten')).toEqual([])
    expect(await found('%_o')).toEqual([hostile])
    expect(await found('p%b')).toEqual([])
    expect(await found(shop)).toEqual([shop])
    expect(await found(till.slice(0, 6).toUpperCase())).toEqual([egypt, hostile, till, shop])
    expect((await user.list('?search=shop&enabled=false')).body.data).toEqual([])
    expect((await other.by().list(`?search=${shop}`)).body.data).toEqual([])
  })

  test.each([
    ['name=', '/query/name'],
    ['search=', '/query/search'],
    ['role_id=admin', '/query/role_id'],
    ['enabled=yes', '/query/enabled'],
    ['unused_since=yesterday', '/query/unused_since'],
    ['expires_before=2031-01-01', '/query/expires_before'],
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
