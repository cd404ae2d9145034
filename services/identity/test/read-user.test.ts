import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readUser', () => {
  test('shows the user as the sign-in provider and the tenant know them', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member([tenant.viewerRole], { name: 'Grace' })
    const before = (await tenant.by().readUser(user.id)).body
    expect(before).toEqual({
      id: user.id,
      email: user.email,
      name: 'Grace',
      role_ids: [tenant.viewerRole],
      enabled: true,
      last_signed_in_at: null,
      created_at: expect.any(String),
      created_by: 'user:test',
    })
    await user.signIn()
    expect((await tenant.by().readUser(user.id)).body.last_signed_in_at).toEqual(expect.any(String))
  })

  test('the user of another tenant is not found, and neither is an unknown one', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member()
    expect(outcome(await other.by().readUser(user.id))).toEqual([404, 'user_not_found'])
    expect(outcome(await tenant.by().readUser(randomUUID()))).toEqual([404, 'user_not_found'])
  })
})
