import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { outcome } from '@payments/testing/calls/caller'
import { newEmail, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Stores open invitations of an actor. */
const addOpen = (tenantId: string, count: number, createdBy: string) =>
  world.rows(
    `INSERT INTO user_invitations (id, tenant_id, email, email_key, token_hash, expires_at, created_by, trace_id, message_id,
                                   token_encrypted)
     SELECT gen_random_uuid(), $1::uuid, $3 || n, $3 || n, decode(md5($1 || $3 || n), 'hex'), now() + interval '1 hour',
            $3, gen_random_uuid(), gen_random_uuid(), 'x' FROM generate_series(1, $2::int) AS n RETURNING 1`,
    tenantId,
    count,
    createdBy,
  )

describe('createUserInvitation', () => {
  test('stores the token as hash and ciphertext only, makes a mail due, and emits an event without the address', async () => {
    const tenant = await world.tenant()
    const email = newEmail()
    const caller = tenant.by()
    const woken = world.woken.mails
    const reply = await caller.invite({ email, role_ids: [tenant.viewerRole, tenant.viewerRole] })
    expect(reply.status).toBe(201)
    expect(reply.headers['location']).toBe(`/v1/identity/user-invitations/${reply.body.id}`)
    expect(reply.body).toMatchObject({
      email,
      role_ids: [tenant.viewerRole],
      locale: null,
      status: 'open',
      resend_count: 0,
      last_sent_at: null,
      user_id: null,
      created_by: `api_key:${caller.actor.id}`,
    })
    const days = (Date.parse(reply.body.expires_at) - Date.parse(reply.body.created_at)) / 86_400_000
    expect(Math.round(days)).toBe(7)
    expect((await caller.readInvitation(reply.body.id)).body).toEqual(reply.body)
    const { email: _, ...shown } = reply.body
    expect(await tenant.events()).toMatchObject([
      { type: 'identity.user-invitations.create', payload: { user_invitation: shown } },
    ])
    expect(JSON.stringify(await tenant.events())).not.toContain(email)
    const stored = await tenant.invitation(reply.body.id)
    expect(stored).toMatchObject({ email, email_key: email.toLowerCase(), mail_attempts: 0 })
    expect(stored?.['mail_due_at']).not.toBeNull()
    expect(world.woken.mails).toBe(woken + 1)
    const link = (await world.mailedLink(world.app, tenant.id, reply.body.id)) ?? ''
    const token = link.split('#')[1] ?? ''
    expect(link).toBe(`https://console.example/session/accept#${token}`)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(Buffer.from(stored?.['token_encrypted'] as Uint8Array).includes(token)).toBe(false)
  })

  test('names each role that the tenant does not have or is deleting, and stores nothing', async () => {
    const tenant = await world.tenant()
    const doomed = await tenant.role(['user:ReadUser'])
    await world.rbac.markDeleting(tenant.id, doomed)
    const reply = await tenant.by().invite({ email: newEmail(), role_ids: [tenant.viewerRole, randomUUID(), doomed] })
    expect(outcome(reply)).toEqual([422, 'unknown_role'])
    expect(reply.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/role_ids/1', '/role_ids/2'])
    expect((await tenant.by().listInvitations()).body.data).toEqual([])
    expect(await tenant.events()).toEqual([])
  })

  test('rejects a malformed language, names the field and stores nothing', async () => {
    const tenant = await world.tenant()
    const reply = await tenant.by().invite({ email: newEmail(), role_ids: [tenant.viewerRole], locale: 'd' })
    expect(outcome(reply)).toEqual([400, 'invalid_request'])
    expect(reply.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/locale'])
    expect((await tenant.by().listInvitations()).body.data).toEqual([])
  })

  test('rejects roles with permissions that the caller lacks, and names them', async () => {
    const tenant = await world.tenant()
    const own: Permission[] = ['user:InviteUser', 'user:ReadUser']
    const reply = await tenant.by(own).invite({ email: newEmail(), role_ids: [tenant.adminRole] })
    expect(outcome(reply)).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(permissionNames.filter((name) => !own.includes(name)).sort())
    expect((await tenant.by().listInvitations()).body.data).toEqual([])
    expect((await tenant.by(own).invite({ email: newEmail(), role_ids: [await tenant.role(own)] })).status).toBe(201)
  })

  test('rejects an address of another script in each form of its domain, and takes that of another mailbox', async () => {
    const tenant = await world.tenant()
    const [member, invited] = [`ÄNNE.${randomUUID()}`, `ÉVA.${randomUUID()}`]
    const kate = `kate.${randomUUID()}@example.com`
    await tenant.member([], { email: `${member}@BÜCHER.example` })
    const invite = async (email: string) => outcome(await tenant.by().invite({ email, role_ids: [tenant.viewerRole] }))
    expect(await invite(`${invited}@BÜCHER.example`)).toEqual([201, undefined])
    expect(await invite(`${member}@xn--bcher-kva.example`)).toEqual([409, 'already_member'])
    expect(await invite(`${member}@bücher.example`)).toEqual([409, 'already_member'])
    expect(await invite(`${invited}@xn--bcher-kva.example`)).toEqual([409, 'user_invitation_exists'])
    expect(await invite(kate)).toEqual([201, undefined])
    expect(await invite(kate.replace('k', '\u212a'))).toEqual([201, undefined])
  })

  test('rejects the address of a user and that of an open invitation, in any case; an ended invitation is no obstacle', async () => {
    const tenant = await world.tenant()
    const [member, invited] = [newEmail(), newEmail()]
    await tenant.member([], { email: member })
    const body = (email: string) => ({ email, role_ids: [tenant.viewerRole] })
    expect(outcome(await tenant.by().invite(body(member.toUpperCase())))).toEqual([409, 'already_member'])
    const first = (await tenant.by().invite(body(invited))).body
    const again = await tenant.by().invite(body(invited.toLowerCase()))
    expect(outcome(again)).toEqual([409, 'user_invitation_exists'])
    expect(again.body.errors).toEqual([{ pointer: '/email', detail: 'is the address of an open invitation' }])
    await world.rows(
      `UPDATE user_invitations SET expires_at = now() - interval '1 second' WHERE id = $1::uuid RETURNING id`,
      first.id,
    )
    const second = await tenant.by().invite(body(invited))
    expect(second.status).toBe(201)
    await tenant.by().cancel(second.body.id)
    expect((await tenant.by().invite(body(invited))).status).toBe(201)
    const other = await world.tenant()
    expect((await other.by().invite({ email: invited, role_ids: [other.viewerRole] })).status).toBe(201)
  })

  test('a tenant has at most 1 000 users and open invitations', async () => {
    const tenant = await world.tenant()
    await tenant.member()
    await addOpen(tenant.id, 998, 'test')
    const invite = () => tenant.by().invite({ email: newEmail(), role_ids: [] })
    expect((await invite()).status).toBe(201)
    expect(outcome(await invite())).toEqual([409, 'too_many_users'])
  })

  test('above 10 000 invitations of any status, the oldest ended ones are deleted, accepted ones last', async () => {
    const tenant = await world.tenant()
    const accepted = (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body.id
    await world.rows('UPDATE user_invitations SET accepted_at = now() WHERE id = $1::uuid RETURNING 1', accepted)
    const open = (await tenant.by().invite({ email: newEmail(), role_ids: [] })).body.id
    await world.rows(
      `INSERT INTO user_invitations (id, tenant_id, email, email_key, token_hash, expires_at, canceled_at, created_by,
                                     trace_id, message_id)
       SELECT gen_random_uuid(), $1::uuid, 'a', 'a', decode(md5($1 || n::text), 'hex'), now(), now(), 'test',
              gen_random_uuid(), gen_random_uuid() FROM generate_series(1, 9998) AS n RETURNING 1`,
      tenant.id,
    )
    const count = async () =>
      (await world.rows('SELECT count(*)::int AS n FROM user_invitations WHERE tenant_id = $1::uuid', tenant.id))[0]?.[
        'n'
      ]
    const weak = tenant.by(['user:InviteUser'])
    /** A peer may respond too late on a busy machine: 503, and nothing is stored. */
    const invite = async (attemptsLeft = 5): Promise<Awaited<ReturnType<typeof weak.invite>>> => {
      const reply = await weak.invite({ email: newEmail(), role_ids: [] })
      return reply.status === 503 && attemptsLeft > 0 ? invite(attemptsLeft - 1) : reply
    }
    for (let round = 0; round < 3; round += 1) {
      const { status, body } = await invite()
      expect([status, body.code]).toEqual([201, undefined])
      await weak.cancel(body.id).expect(200)
    }
    expect((await tenant.by().invite({ email: newEmail(), role_ids: [tenant.viewerRole] })).status).toBe(201)
    const operator = await world.asOperator.inviteFirst(tenant.id, { email: newEmail(), role_name: 'admin' })
    expect(operator.status).toBe(201)
    expect(await count()).toBe(10_000 - 100 + 5)
    expect((await tenant.by().readInvitation(accepted)).body.status).toBe('accepted')
    expect((await tenant.by().readInvitation(open)).body.status).toBe('open')
  })

  test('a caller has open invitations for half of the seats that the others leave, and operators have seats', async () => {
    const tenant = await world.tenant()
    await tenant.member()
    await addOpen(tenant.id, 979, 'test')
    const [weak, other] = [tenant.by(['user:InviteUser']), tenant.by()]
    const invite = (by: typeof weak) => by.invite({ email: newEmail(), role_ids: [] })
    const replies = await Promise.all(Array.from({ length: 15 }, () => invite(weak)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(outcome(await invite(weak))).toEqual([409, 'too_many_users'])
    const { body } = await invite(other)
    expect(body.status).toBe('open')
    await other.cancel(body.id).expect(200)
    await addOpen(tenant.id, 10, 'others')
    expect((await invite(other)).body.detail).toBe(
      'The tenant has 1 users and 999 open invitations, 0 of them by the caller',
    )
    const operator = () => world.asOperator.inviteFirst(tenant.id, { email: newEmail(), role_name: 'admin' })
    const invited = await Promise.all(Array.from({ length: 15 }, operator))
    expect(invited.filter(({ status }) => status === 201)).toHaveLength(10)
  })

  test('ten at once for one address: one invitation', async () => {
    const tenant = await world.tenant()
    const body = { email: newEmail(), role_ids: [tenant.viewerRole] }
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().invite(body)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ body: { code } }) => code === 'user_invitation_exists')).toHaveLength(9)
    expect((await tenant.by().listInvitations()).body.data).toHaveLength(1)
  })

  test('repeats the response for an Idempotency-Key, and rejects the key with another body', async () => {
    const tenant = await world.tenant()
    const [caller, key] = [tenant.by(), randomUUID()]
    const body = { email: newEmail(), role_ids: [tenant.viewerRole] }
    const first = await caller.invite(body, key)
    expect((await caller.invite(body, key)).body).toEqual(first.body)
    expect(outcome(await caller.invite({ ...body, email: newEmail() }, key))).toEqual([422, 'idempotency_key_reused'])
    expect(await tenant.events()).toHaveLength(1)
  })
})
