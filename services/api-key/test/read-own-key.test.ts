import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fewestRoundTrips } from '@payments/testing/database/round-trips'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readOwnKey', () => {
  test('returns the calling key, masked, with tenant, roles and permissions; needs no permission', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const { body: created } = await user.create({ name: 'till 7' })
    const role = await tenant.role(['transaction:VoidTransaction', 'audit:ReadRecord'])
    const { body: assigned } = await user.assign(created.id, [role])
    const reply = await tenant.as({ type: 'api_key', id: created.id }, []).readOwn()
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      ...assigned,
      tenant_id: tenant.id,
      roles: [{ id: role, name: expect.any(String) }],
      permissions: ['audit:ReadRecord', 'transaction:VoidTransaction'],
    })
    expect(reply.body.value).toMatch(/^psk_dev_….{4}$/u)
  })

  test('returns the roles and permissions that the gateway resolved, with one round trip and no call', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const [first, second] = [randomUUID(), randomUUID()]
    const asserted = { roleIds: [first, second], roleNames: ['Kassa 2', 'Cashier'] }
    const key = tenant.asKey(created.id, ['transaction:VoidTransaction', 'audit:ReadRecord'], asserted)
    const { body } = await key.readOwn()
    expect([body.roles, body.permissions]).toEqual([
      [
        { id: second, name: 'Cashier' },
        { id: first, name: 'Kassa 2' },
      ],
      ['audit:ReadRecord', 'transaction:VoidTransaction'],
    ])
    expect(await fewestRoundTrips(() => key.readOwn())).toBe(1)
  })

  test('reads the names of roles from rbac when the gateway does not name them', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const role = await tenant.role(['audit:ReadRecord'], 'Auditor')
    await tenant.by().assign(created.id, [role])
    const { body } = await tenant.asKey(created.id, ['audit:ReadRecord'], { roleIds: [role] }).readOwn()
    expect([body.roles, body.permissions]).toEqual([[{ id: role, name: 'Auditor' }], ['audit:ReadRecord']])
  })

  test('returns a key without roles with empty lists', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const { body } = await tenant.as({ type: 'api_key', id: created.id }, []).readOwn()
    expect([body.roles, body.permissions]).toEqual([[], []])
  })

  test('rejects a user: not_an_api_key', async () => {
    const reply = await (await world.tenant()).by().readOwn()
    expect([reply.status, reply.body.code]).toEqual([404, 'not_an_api_key'])
  })

  test('a deleted key, and a key of another tenant, is key_not_found', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body: foreign } = await theirs.by().create()
    for (const id of [randomUUID(), foreign.id]) {
      const reply = await ours.as({ type: 'api_key', id }, []).readOwn()
      expect([reply.status, reply.body.code]).toEqual([404, 'key_not_found'])
    }
  })
})
