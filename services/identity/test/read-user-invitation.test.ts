import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { newEmail, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const invite = async (tenant: TestTenant) => (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body

describe('readUserInvitation', () => {
  test('the invitation of another tenant is not found, and neither is an unknown one', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const { id } = await invite(tenant)
    expect((await tenant.by().readInvitation(id)).body.id).toBe(id)
    expect(outcome(await other.by().readInvitation(id))).toEqual([404, 'user_invitation_not_found'])
    expect(outcome(await tenant.by().readInvitation(randomUUID()))).toEqual([404, 'user_invitation_not_found'])
  })
})
