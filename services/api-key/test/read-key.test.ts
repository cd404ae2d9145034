import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type App } from '@payments/chassis/app'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readKey', () => {
  test('shows the key as it was created, its value masked', async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().create({ name: 'till 7' })
    const reply = await tenant.by(['apikey:ReadKey']).read(body.id)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ ...body, value: `psk_dev_…${body.value.slice(-4)}` })
  })

  test('takes the id in upper case', async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().create()
    expect((await tenant.by().read(body.id.toUpperCase())).body.id).toBe(body.id)
  })
})

describe('listKeys', () => {
  test('shows every key once over its pages, newest first, masked, also while keys are added', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const made: string[] = []
    for (let i = 0; i < 5; i += 1) made.push((await user.create({ name: `key ${i}` })).body.id)
    const first = await user.list('?limit=2')
    await user.create({ name: 'late' })
    const second = await user.list(`?limit=2&cursor=${first.body.next_cursor}`)
    const third = await user.list(`?limit=2&cursor=${second.body.next_cursor}`)
    const pages = [first, second, third].flatMap(({ body }) => body.data as { id: string; value: string }[])
    expect(pages.map(({ id }) => id)).toEqual(made.reverse())
    expect(pages.every(({ value }) => /^psk_dev_….{4}$/u.test(value))).toBe(true)
    expect(third.body.next_cursor).toBeNull()
  })

  test("shows nothing of another tenant's", async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    await theirs.by().create()
    expect((await ours.by().list()).body).toEqual({ data: [], next_cursor: null })
  })

  test.each([
    ['limit=0', '/query/limit'],
    ['limit=201', '/query/limit'],
    ['limit=ten', '/query/limit'],
    ['cursor=nonsense', '/query/cursor'],
  ])('?%s is a 400 that names it', async (query, pointer) => {
    const tenant = await world.tenant()
    const reply = await tenant.by().list(`?${query}`)
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, pointer])
  })
})

describe('a key of another tenant', () => {
  test('answers every operation as a missing one does, byte for byte, and stays as it was', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body: foreign } = await theirs.by().create()
    await theirs.by().assign(foreign.id, [theirs.viewerRole])
    const before = (await theirs.by().read(foreign.id)).body
    const operations = ['read', 'reveal', 'permissions', 'remove'] as const
    const answers = async (id: string) => {
      const user = ours.by()
      const replies = [
        ...(await Promise.all(operations.map((operation) => user[operation](id)))),
        await user.update(id, { enabled: false }),
        await user.assign(id, [ours.viewerRole]),
      ]
      return replies.map(({ status, body }) => ({ status, body: { ...body, trace_id: '' } }))
    }
    const [seen, missing] = [await answers(foreign.id), await answers(randomUUID())]
    expect(seen).toEqual(missing)
    expect(seen.every(({ status, body }) => status === 404 && body.code === 'key_not_found')).toBe(true)
    expect((await theirs.by().read(foreign.id)).body).toEqual(before)
    expect(await ours.events()).toEqual([])
  })

  test('is refused by the database itself where the code forgets the tenant', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body } = await theirs.by().create()
    await theirs.by().assign(body.id, [theirs.viewerRole])
    await theirs.by().reveal(body.id)
    const tables = ['keys', 'key_roles', 'data_keys', 'reveal_attempts']
    const counts = (tenantId: string) =>
      world.db.inTenant(tenantId, async (tx) => {
        const found = []
        for (const table of tables) {
          const [row] = await tx.$queryRawUnsafe<[{ n: number }]>(`SELECT count(*)::int AS n FROM ${table}`)
          found.push(row.n)
        }
        return found
      })
    expect(await counts(theirs.id)).toEqual([1, 1, 1, 1])
    expect(await counts(ours.id)).toEqual([0, 0, 0, 0])
    await expect(
      world.db.inTenant(ours.id, (tx) =>
        tx.keyRole.create({ data: { tenantId: theirs.id, keyId: body.id, roleId: body.id } }),
      ),
    ).rejects.toThrow('row-level security')
  })
})

describe('readiness', () => {
  const ready = async (app: App) => {
    const { default: request } = await import('supertest')
    return request(app).get('/readyz')
  }

  test('says ready, or that the broker is away', async () => {
    expect((await ready(world.app)).status).toBe(200)
    const reply = await ready(createApp({ ...world.deps, broker: async () => 'not connected' }))
    expect([reply.status, reply.body.reasons]).toEqual([503, { broker: 'not connected' }])
  })
})
