import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/key-value'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('deleteKey', () => {
  test('answers 204, and the very next look-up finds nothing', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create({ name: 'till 7' })
    await tenant.by().assign(made.id, [tenant.viewerRole])
    const reply = await tenant.by(['apikey:DeleteKey']).remove(made.id)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect((await world.asService.identify(keyHash(made.value))).body).toEqual({ key: null })
    expect((await tenant.by().read(made.id)).body.code).toBe('key_not_found')
    expect((await tenant.events()).at(-1)).toEqual({
      type: 'api-key.keys.delete',
      payload: { id: made.id, name: 'till 7', deleted_at: expect.any(String) },
    })
  })

  test('detaches the roles and destroys the secret: no row of it is left', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    await tenant.by().assign(made.id, [tenant.viewerRole])
    const left = () =>
      world.rows(
        'SELECT id::text FROM keys WHERE id = $1::uuid UNION ALL SELECT role_id::text FROM key_roles WHERE key_id = $1::uuid',
        made.id,
      )
    expect(await left()).toHaveLength(2)
    await tenant.by().remove(made.id)
    expect(await left()).toEqual([])
  })

  test('a key cannot delete itself; another can, even a weaker one', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    await tenant.by().assign(made.id, [tenant.adminRole])
    const events = await tenant.events()
    const reply = await tenant.as({ type: 'api_key', id: made.id }).remove(made.id)
    expect([reply.status, reply.body.code]).toEqual([409, 'own_key'])
    expect((await tenant.by().read(made.id)).status).toBe(200)
    expect(await tenant.events()).toEqual(events)
    expect((await tenant.by(['apikey:DeleteKey']).remove(made.id)).status).toBe(204)
  })

  test('ten at once: one does it, nine are told that there is no such key, one event', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().remove(made.id)))
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    expect(statuses.filter((status) => status === 404)).toHaveLength(9)
    expect((await tenant.events()).filter(({ type }) => type === 'api-key.keys.delete')).toHaveLength(1)
  })

  test('beside updates, role changes and reveals at once: whoever comes after is told that there is no such key', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const replies = await Promise.all([
      ...Array.from({ length: 3 }, () => tenant.by().update(made.id, { name: 'two' })),
      ...Array.from({ length: 3 }, () => tenant.by().assign(made.id, [tenant.viewerRole])),
      tenant.by().remove(made.id),
      ...Array.from({ length: 3 }, () => tenant.by().reveal(made.id)),
    ])
    for (const { status } of replies) expect([200, 204, 404]).toContain(status)
    const events = await tenant.events()
    expect(events.at(-1)?.type).toBe('api-key.keys.delete')
    expect(events).toHaveLength(1 + replies.filter(({ status }) => status < 300).length)
  })

  test('beside ten replacements of roles at once: no role stays attached to a key that is no more', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const [removed, ...replies] = await Promise.all([
      tenant.by().remove(made.id),
      ...Array.from({ length: 10 }, () => tenant.by().assign(made.id, [tenant.viewerRole])),
    ])
    expect(removed?.status).toBe(204)
    for (const { status } of replies) expect([200, 404]).toContain(status)
    expect(await world.rows('SELECT 1 FROM key_roles WHERE key_id = $1::uuid', made.id)).toEqual([])
    expect((await tenant.events()).at(-1)?.type).toBe('api-key.keys.delete')
  })
})
