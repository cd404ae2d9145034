import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('deleteKey', () => {
  test('returns 204, and the next identifyKey finds no key', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create({ name: 'till 7' })
    await tenant.by().assign(created.id, [await tenant.role(['apikey:ReadKey'])])
    const reply = await tenant.by(['apikey:DeleteKey', 'apikey:ReadKey']).remove(created.id)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await world.asService.identify(keyHash(created.value))).body).toEqual({ key: null })
    expect((await tenant.by().read(created.id)).body.code).toBe('key_not_found')
    expect((await tenant.events()).at(-1)).toEqual({
      type: 'api-key.keys.delete',
      business_unit_id: null,
      trace_id: expect.any(String),
      payload: { id: created.id, name: 'till 7', deleted_at: expect.any(String) },
    })
  })

  test('deletes the roles and the value: no row of the key remains', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().assign(created.id, [tenant.viewerRole])
    const left = () =>
      world.rows(
        'SELECT id::text FROM keys WHERE id = $1::uuid UNION ALL SELECT role_id::text FROM key_roles WHERE key_id = $1::uuid',
        created.id,
      )
    expect(await left()).toHaveLength(2)
    await tenant.by().remove(created.id)
    expect(await left()).toEqual([])
  })

  test('a key cannot delete itself; a caller with its permissions can', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().assign(created.id, [tenant.adminRole])
    const events = await tenant.events()
    const reply = await tenant.as({ type: 'api_key', id: created.id }).remove(created.id)
    expect([reply.status, reply.body.code]).toEqual([409, 'own_key'])
    expect((await tenant.by().read(created.id)).status).toBe(200)
    expect(await tenant.events()).toEqual(events)
    expect((await tenant.by().remove(created.id)).status).toBe(204)
  })

  test('needs the permissions of the key, names those that the caller lacks, and changes nothing', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().assign(created.id, [await tenant.role(['apikey:AssignRoles', 'user:UpdateUser'])])
    const events = await tenant.events()
    const reply = await tenant.by(['apikey:DeleteKey', 'apikey:AssignRoles']).remove(created.id)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['user:UpdateUser'])
    expect((await tenant.by().read(created.id)).status).toBe(200)
    expect(await tenant.events()).toEqual(events)
  })

  test('ten at once: one deletion succeeds, nine are key_not_found, one event', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().remove(created.id)))
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    expect(statuses.filter((status) => status === 404)).toHaveLength(9)
    expect((await tenant.events()).filter(({ type }) => type === 'api-key.keys.delete')).toHaveLength(1)
  })

  test('beside concurrent updates, role changes and reveals, later requests are key_not_found', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const replies = await Promise.all([
      ...Array.from({ length: 3 }, () => tenant.by().update(created.id, { name: 'two' })),
      ...Array.from({ length: 3 }, () => tenant.by().assign(created.id, [tenant.viewerRole])),
      tenant.by().remove(created.id),
      ...Array.from({ length: 3 }, () => tenant.by().reveal(created.id)),
    ])
    for (const { status } of replies) expect([200, 204, 404]).toContain(status)
    const events = await tenant.events()
    expect(events.at(-1)?.type).toBe('api-key.keys.delete')
    expect(events).toHaveLength(1 + replies.filter(({ status }) => status < 300).length)
  })

  test('beside ten concurrent role changes, no role remains for the deleted key', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const [removed, ...replies] = await Promise.all([
      tenant.by().remove(created.id),
      ...Array.from({ length: 10 }, () => tenant.by().assign(created.id, [tenant.viewerRole])),
    ])
    expect(removed?.status).toBe(204)
    for (const { status } of replies) expect([200, 404]).toContain(status)
    expect(await world.rows('SELECT 1 FROM key_roles WHERE key_id = $1::uuid', created.id)).toEqual([])
    expect((await tenant.events()).at(-1)?.type).toBe('api-key.keys.delete')
  })
})
