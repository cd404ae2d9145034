import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('revealKey', () => {
  test('returns the full value, forbids caching, and emits an event', async () => {
    const tenant = await world.tenant()
    const user = tenant.by(['apikey:CreateKey', 'apikey:RevealKey'])
    const { body: created } = await user.create({ name: 'till 7' })
    const reply = await user.reveal(created.id)
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(reply.body).toEqual(created)
    const events = await tenant.events()
    expect(events.at(-1)).toEqual({
      type: 'api-key.keys.reveal',
      business_unit_id: null,
      trace_id: expect.any(String),
      payload: {
        id: created.id,
        name: 'till 7',
        revealed_by: `user:${user.actor.id}`,
        revealed_at: expect.any(String),
      },
    })
    expect(JSON.stringify(events)).not.toContain(created.value.slice(-4))
  })

  test('requires every permission of the key, names the missing ones, and emits no event', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().assign(created.id, [await tenant.role(['transaction:RefundTransaction', 'apikey:ReadKey'])])
    const before = await tenant.events()
    const reply = await tenant.by(['apikey:RevealKey', 'apikey:ReadKey']).reveal(created.id)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['transaction:RefundTransaction'])
    expect(JSON.stringify(reply.body)).not.toContain(created.value.slice(-4))
    expect(await tenant.events()).toEqual(before)
    const equal = tenant.by(['apikey:RevealKey', 'apikey:ReadKey', 'transaction:RefundTransaction'])
    expect((await equal.reveal(created.id)).body.value).toBe(created.value)
  })

  test('shows a key without roles to its creator, and to who has every permission: its roles come next', async () => {
    const tenant = await world.tenant()
    const creator = tenant.by(['apikey:CreateKey', 'apikey:RevealKey'])
    const { body: created } = await creator.create()
    const reply = await tenant.by(['apikey:ReadKey', 'apikey:RevealKey']).reveal(created.id)
    expect([reply.status, reply.body.code, reply.body.value]).toEqual([403, 'would_exceed_own_permissions', undefined])
    expect(reply.body.missing_permissions).toContain('transaction:RefundTransaction')
    for (const user of [creator, tenant.by(permissionNames)]) {
      expect((await user.reveal(created.id)).body.value).toBe(created.value)
    }
  })

  test('a key may reveal itself', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().assign(created.id, [await tenant.role(['apikey:RevealKey'])])
    const reply = await tenant.as({ type: 'api_key', id: created.id }, ['apikey:RevealKey']).reveal(created.id)
    expect(reply.body.value).toBe(created.value)
  })

  test('a value moved from another key is a 500, not a value', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const [one, two] = [await user.create(), await user.create()]
    await world.rows(
      `UPDATE keys SET value_encrypted = (SELECT value_encrypted FROM keys WHERE id = $1::uuid) WHERE id = $2::uuid RETURNING id`,
      one.body.id,
      two.body.id,
    )
    const reply = await user.reveal(two.body.id)
    expect([reply.status, reply.body.code]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(reply.body)).not.toContain(one.body.value)
  })
})
