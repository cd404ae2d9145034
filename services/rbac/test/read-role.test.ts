import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readRole', () => {
  test('returns the same response for a role of another tenant and a missing role', async () => {
    const [ours, theirs] = [await world.onboard(), await world.onboard()]
    const caller = world.asTenant(ours.tenant.id)
    const foreign = await caller.get(`/v1/rbac/roles/${theirs.roles[0]?.id}`)
    const missing = await caller.get(`/v1/rbac/roles/${randomUUID()}`)
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, trace_id: '' }).toEqual({ ...missing.body, trace_id: '' })
  })

  test('names a malformed id', async () => {
    const reply = await world.asTenant(randomUUID()).get('/v1/rbac/roles/42')
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, '/path/role_id'])
  })
})
