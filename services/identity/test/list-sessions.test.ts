import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const listIds = (reply: { body: { data: { id: string }[] } }) => reply.body.data.map(({ id }) => id)

describe('listSessions', () => {
  test('shows the caller their sessions in the tenant, newest first, and which is current', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member()
    await world.join(other.id, user.id, [])
    await world.signIn(other.id, user)
    await (await tenant.member()).signIn()
    const [first, second] = [await user.signIn({ minutesAgo: 2 }), await user.signIn()]
    const reply = await first.by([]).listSessions()
    expect(reply.body.data).toEqual([
      expect.objectContaining({ id: second.id, current: false }),
      {
        id: first.id,
        kind: 'browser',
        user_id: user.id,
        created_at: first.session.createdAt.toISOString(),
        last_seen_at: first.session.lastSeenAt.toISOString(),
        authenticated_at: first.session.authenticatedAt.toISOString(),
        expires_at: first.session.expiresAt.toISOString(),
        ip: '192.0.2.7',
        user_agent: 'Browser/1',
        current: true,
      },
    ])
    const page = await first.by([]).listSessions('?limit=1')
    const next = await first.by([]).listSessions(`?limit=1&cursor=${page.body.next_cursor}`)
    expect([...listIds(page), ...listIds(next)]).toEqual([second.id, first.id])
  })

  test('leaves out sessions that have expired or were not used for an hour', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member()
    const [live, idle, ended] = [await user.signIn(), await user.signIn(), await user.signIn()]
    await world.rows(
      `UPDATE sessions SET last_seen_at = now() - interval '3601 seconds' WHERE id = $1::uuid RETURNING id`,
      idle.id,
    )
    await world.rows(
      `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1::uuid RETURNING id`,
      ended.id,
    )
    expect(listIds(await live.by([]).listSessions())).toEqual([live.id])
    expect(outcome(await live.by([]).readSession(idle.id))).toEqual([404, 'session_not_found'])
  })

  test('the sessions of another user need user:RemoveUser, and a credential without a session names a user', async () => {
    const tenant = await world.tenant()
    const [user, other] = [await tenant.member(), await tenant.member()]
    const [own, foreign] = [await user.signIn(), await other.signIn()]
    const query = `?user_id=${other.id}`
    expect(outcome(await own.by(['user:ReadUser']).listSessions(query))).toEqual([403, 'permission_denied'])
    expect(listIds(await own.by(['user:RemoveUser']).listSessions(query))).toEqual([foreign.id])
    expect(listIds(await own.by([]).listSessions(`?user_id=${user.id}`))).toEqual([own.id])
    expect(listIds(await tenant.by(['user:RemoveUser']).listSessions(query))).toEqual([foreign.id])
    expect(outcome(await tenant.by().listSessions())).toEqual([403, 'session_required'])
    expect(outcome(await own.by().listSessions(`?user_id=${randomUUID()}`))).toEqual([404, 'user_not_found'])
  })

  test('the user of another tenant is not found', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const user = await tenant.member()
    await user.signIn()
    expect(outcome(await other.by().listSessions(`?user_id=${user.id}`))).toEqual([404, 'user_not_found'])
  })
})
