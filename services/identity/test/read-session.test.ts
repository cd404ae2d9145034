import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readSession', () => {
  test('shows an own session, and with user:RemoveUser that of another user; else it is not found', async () => {
    const [tenant, elsewhere] = [await world.tenant(), await world.tenant()]
    const [user, other] = [await tenant.member(), await tenant.member()]
    const [own, foreign] = [await user.signIn(), await other.signIn()]
    expect((await own.by([]).readSession(own.id)).body).toMatchObject({ id: own.id, current: true })
    expect((await own.by(['user:RemoveUser']).readSession(foreign.id)).body).toMatchObject({ current: false })
    for (const reply of [
      await own.by(['user:ReadUser']).readSession(foreign.id),
      await own.by().readSession(randomUUID()),
      await elsewhere.by().readSession(own.id),
    ]) {
      expect(outcome(reply)).toEqual([404, 'session_not_found'])
    }
  })
})
