import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readKey', () => {
  test('returns the key as created, with its value masked', async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().create({ name: 'till 7' })
    const reply = await tenant.by(['apikey:ReadKey']).read(body.id)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ ...body, value: `psk_dev_…${body.value.slice(-4)}` })
  })

  test('names the end of the previous value of a rotated key, until it has ended', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    expect(created.previous_value_expires_at).toBeNull()
    const before = Date.now()
    const { body: rotated } = await tenant.by().rotate(created.id, 60)
    const endsInMs = Date.parse(rotated.previous_value_expires_at) - before
    expect(Math.round(endsInMs / 10_000)).toBe(6)
    expect((await tenant.by().list()).body.data).toMatchObject([
      { previous_value_expires_at: rotated.previous_value_expires_at },
    ])
    await world.rows(`UPDATE previous_values SET ends_at = now() - interval '1 ms' WHERE key_id = $1::uuid`, created.id)
    expect((await tenant.by().read(created.id)).body.previous_value_expires_at).toBeNull()
  })

  test('accepts an id in upper case', async () => {
    const tenant = await world.tenant()
    const { body } = await tenant.by().create()
    expect((await tenant.by().read(body.id.toUpperCase())).body.id).toBe(body.id)
  })
})

describe('a key of another tenant', () => {
  test('gets the same response as a missing key from every operation, and stays unchanged', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body: foreign } = await theirs.by().create()
    await theirs.by().assign(foreign.id, [theirs.viewerRole])
    const before = (await theirs.by().read(foreign.id)).body
    const operations = ['read', 'reveal', 'permissions', 'remove'] as const
    const responses = async (id: string) => {
      const user = ours.by()
      const replies = [
        ...(await Promise.all(operations.map((operation) => user[operation](id)))),
        await user.update(id, { enabled: false }),
        await user.assign(id, [ours.viewerRole]),
      ]
      return replies.map(({ status, body }) => ({ status, body: { ...body, trace_id: '' } }))
    }
    const [seen, missing] = [await responses(foreign.id), await responses(randomUUID())]
    expect(seen).toEqual(missing)
    expect(seen.every(({ status, body }) => status === 404 && body.code === 'key_not_found')).toBe(true)
    expect((await theirs.by().read(foreign.id)).body).toEqual(before)
    expect(await ours.events()).toEqual([])
  })

  test('is hidden by the database even when the code omits the tenant', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body } = await theirs.by().create()
    await theirs.by().assign(body.id, [theirs.viewerRole])
    const tables = ['keys', 'key_roles', 'data_keys']
    const counts = (tenantId: string) =>
      world.db.inTenant(tenantId, async (tx) => {
        const found = []
        for (const table of tables) {
          const [row] = await tx.$queryRawUnsafe<[{ n: number }]>(`SELECT count(*)::int AS n FROM ${table}`)
          found.push(row.n)
        }
        return found
      })
    expect(await counts(theirs.id)).toEqual([1, 1, 1])
    expect(await counts(ours.id)).toEqual([0, 0, 0])
    await expect(
      world.db.inTenant(ours.id, (tx) =>
        tx.keyRole.create({ data: { tenantId: theirs.id, keyId: body.id, roleId: body.id } }),
      ),
    ).rejects.toThrow('row-level security')
  })
})
