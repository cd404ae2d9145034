import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newEmail, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

interface Subject {
  readonly tenant: TestTenant
  readonly userId: string
  readonly sessionId: string
}
type Act = (subject: Subject) => PromiseLike<{ status: number }>

/** A user with a session, in a tenant with another administrator. */
async function subject(): Promise<Subject> {
  const tenant = await world.tenant()
  await tenant.member([tenant.adminRole])
  const user = await tenant.member([tenant.viewerRole])
  return { tenant, userId: user.id, sessionId: (await user.signIn()).id }
}

async function observeChanges(act: Act, of: Subject) {
  const before = await world.epoch()
  const { status } = await act(of)
  const after = await world.epoch(before.epoch)
  return { status, increment: after.epoch - before.epoch, invalidated: after.invalidated }
}

const userChanges: [string, Act][] = [
  ['other roles', ({ tenant, userId }) => tenant.by().updateUser(userId, { role_ids: [tenant.adminRole] })],
  ['no roles', ({ tenant, userId }) => tenant.by().updateUser(userId, { role_ids: [] })],
]
const userAndSessionChanges: [string, Act][] = [
  ['disabling', ({ tenant, userId }) => tenant.by().updateUser(userId, { enabled: false })],
  ['a removal', ({ tenant, userId }) => tenant.by().removeUser(userId)],
  ['a removal by an operator', ({ tenant, userId }) => world.asOperator.removeUserFrom(tenant.id, userId)],
  ['an erasure', ({ userId }) => world.asOperator.eraseUser(userId)],
]
const sessionChanges: [string, Act][] = [
  ['the end of a session', ({ tenant, sessionId }) => tenant.by().endSession(sessionId)],
  ['the end of all sessions', ({ tenant, userId }) => tenant.by().endAllSessions(userId)],
  ['the end by an operator', ({ tenant }) => world.asOperator.endAllSessions(tenant.id)],
]
const otherCalls: [string, Act][] = [
  [
    'the same roles again',
    ({ tenant, userId }) => tenant.by().updateUser(userId, { role_ids: [tenant.viewerRole], enabled: true }),
  ],
  ['an invitation', ({ tenant }) => tenant.by().invite({ email: newEmail(), role_ids: [] })],
  ['a read', ({ tenant, userId }) => tenant.by().readUser(userId)],
]
const rejectedCalls: [string, number, Act][] = [
  ['an unknown role', 422, ({ tenant, userId }) => tenant.by().updateUser(userId, { role_ids: [randomUUID()] })],
  ['a removal of an unknown user', 404, ({ tenant }) => tenant.by().removeUser(randomUUID())],
  ['the end of an unknown session', 404, ({ tenant }) => tenant.by().endSession(randomUUID())],
]

describe('the epoch', () => {
  test.each(userChanges)('%s increment it by one and name the user', async (_, act) => {
    const one = await subject()
    const { status, ...change } = await observeChanges(act, one)
    expect(status).toBeLessThan(300)
    expect(change).toEqual({ increment: 1, invalidated: [{ kind: 'user', id: one.userId }] })
  })

  test.each(userAndSessionChanges)('%s increments it by one and names the user and the session', async (_, act) => {
    const one = await subject()
    const { increment, invalidated } = await observeChanges(act, one)
    expect(increment).toBe(1)
    expect(invalidated).toHaveLength(2)
    expect(invalidated).toEqual(
      expect.arrayContaining([
        { kind: 'user', id: one.userId },
        { kind: 'session', id: one.sessionId },
      ]),
    )
  })

  test.each(sessionChanges)('%s increments it by one and names the session', async (_, act) => {
    const one = await subject()
    const { status, ...change } = await observeChanges(act, one)
    expect(status).toBeLessThan(300)
    expect(change).toEqual({ increment: 1, invalidated: [{ kind: 'session', id: one.sessionId }] })
  })

  test.each(otherCalls)('%s leaves it', async (_, act) => {
    const { status, increment } = await observeChanges(act, await subject())
    expect([status < 300, increment]).toEqual([true, 0])
  })

  test.each(rejectedCalls)('%s leaves it', async (_, expected, act) => {
    const { status, increment } = await observeChanges(act, await subject())
    expect([status, increment]).toEqual([expected, 0])
  })
})
