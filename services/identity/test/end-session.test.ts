import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('endSession', () => {
  test('ends an own session, the current one too, for the next request, with an event', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member()
    const [one, other] = [await user.signIn(), await user.signIn()]
    expect((await one.by([]).endSession(other.id)).status).toBe(204)
    expect((await one.by([]).endSession(one.id)).status).toBe(204)
    expect([await world.identify(one.value), await world.identify(other.value)]).toEqual([null, null])
    const ended = (await tenant.events()).filter(({ type }) => type === 'identity.sessions.end')
    expect(ended).toMatchObject([{ payload: { session: { id: other.id } } }, { payload: { session: { id: one.id } } }])
  })

  test('that of another user needs user:RemoveUser; else it is not found, like that of another tenant', async () => {
    const [tenant, elsewhere] = [await world.tenant(), await world.tenant()]
    const [user, other] = [await tenant.member(), await tenant.member()]
    const [own, foreign] = [await user.signIn(), await other.signIn()]
    for (const reply of [
      await own.by(['user:ReadUser']).endSession(foreign.id),
      await own.by().endSession(randomUUID()),
      await elsewhere.by().endSession(foreign.id),
    ]) {
      expect(outcome(reply)).toEqual([404, 'session_not_found'])
    }
    expect(await world.identify(foreign.value)).not.toBeNull()
    expect((await own.by(['user:RemoveUser']).endSession(foreign.id)).status).toBe(204)
    expect(await world.identify(foreign.value)).toBeNull()
  })

  test('ten at once: one ends the session, one event', async () => {
    const tenant = await world.tenant()
    const session = await (await tenant.member()).signIn()
    const replies = await Promise.all(Array.from({ length: 10 }, () => session.by().endSession(session.id)))
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(await tenant.events()).toHaveLength(2)
  })
})
