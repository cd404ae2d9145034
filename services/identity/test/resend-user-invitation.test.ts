import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { firstIdAt } from '@payments/chassis/base/id'
import { outcome } from '@payments/testing/calls/caller'
import { newEmail, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const invite = async (tenant: TestTenant) => (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body

/** As if the last mail was decided two minutes ago. */
const wait = (id: string) =>
  world.rows(
    'UPDATE user_invitations SET message_id = $2::uuid, mail_due_at = NULL WHERE id = $1::uuid RETURNING id',
    id,
    firstIdAt(new Date(Date.now() - 120_000)),
  )

describe('resendUserInvitation', () => {
  test('makes another mail due with the same link', async () => {
    const tenant = await world.tenant()
    const { id } = await invite(tenant)
    const before = await world.mailedLink(world.app, tenant.id, id)
    await wait(id)
    const stored = await tenant.invitation(id)
    const reply = await tenant.by().resend(id)
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({ id, status: 'open', resend_count: 1 })
    const after = await tenant.invitation(id)
    expect(after?.['message_id']).not.toBe(stored?.['message_id'])
    expect(after?.['mail_due_at']).not.toBeNull()
    expect(await world.mailedLink(world.app, tenant.id, id)).toBe(before)
    expect(await tenant.events()).toHaveLength(1)
  })

  test('not within a minute of the last time, and ten times at most', async () => {
    const tenant = await world.tenant()
    const { id } = await invite(tenant)
    const early = await tenant.by().resend(id)
    expect([...outcome(early), early.headers['retry-after']]).toEqual([409, 'resend_too_soon', '60'])
    for (let i = 1; i <= 10; i += 1) {
      await wait(id)
      expect((await tenant.by().resend(id)).body.resend_count).toBe(i)
    }
    await wait(id)
    expect(outcome(await tenant.by().resend(id))).toEqual([409, 'resend_limit_reached'])
  })

  test('ten at once: one mail', async () => {
    const tenant = await world.tenant()
    const { id } = await invite(tenant)
    await wait(id)
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().resend(id)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await tenant.by().readInvitation(id)).body.resend_count).toBe(1)
  })

  test('a repeated request with an Idempotency-Key sends no other mail', async () => {
    const tenant = await world.tenant()
    const { id } = await invite(tenant)
    await wait(id)
    const [caller, key] = [tenant.by(), randomUUID()]
    const first = await caller.resend(id, key)
    expect((await caller.resend(id, key)).body).toEqual(first.body)
  })

  test('an ended, foreign or unknown invitation is not sent again', async () => {
    const [tenant, other] = [await world.tenant(), await world.tenant()]
    const { id } = await invite(tenant)
    await wait(id)
    expect(outcome(await other.by().resend(id))).toEqual([404, 'user_invitation_not_found'])
    expect(outcome(await tenant.by().resend(randomUUID()))).toEqual([404, 'user_invitation_not_found'])
    await tenant.by().cancel(id)
    expect(outcome(await tenant.by().resend(id))).toEqual([409, 'user_invitation_not_open'])
  })
})
