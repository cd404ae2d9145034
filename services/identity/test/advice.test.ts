import { afterAll, beforeAll } from '@jest/globals'
import { firstIdAt } from '@payments/chassis/base/id'
import { problems } from '@payments/contracts/services/identity/problems'
import { adviceSuite } from '@payments/testing/suites/advice'
import { newEmail, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** A new tenant with an open invitation. */
async function tenantWithInvitation() {
  const tenant = await world.tenant()
  const body = { email: newEmail(), role_ids: [] }
  const invite = () => tenant.by().invite(body)
  const { id } = (await invite().expect(201)).body as { id: string }
  /** Changes the invitation in the database. */
  const change = (assignments: string) =>
    world.rows(`UPDATE user_invitations SET ${assignments} WHERE id = '${id}' RETURNING id::text`)
  return {
    tenant,
    id,
    email: body.email,
    invite,
    change,
    resend: () => tenant.by().resend(id),
    /** As if the last mail was decided two minutes ago. */
    wait: () => change(`message_id = '${firstIdAt(new Date(Date.now() - 120_000))}', mail_due_at = NULL`),
    cancelAndInvite: async () => {
      await tenant.by().cancel(id).expect(200)
      return invite()
    },
  }
}

/** A tenant with as many users and open invitations as it can have. */
async function fullTenant() {
  const tenant = await world.tenant()
  const user = await tenant.member()
  const [invitation] = await world.rows<{ id: string }>(
    `INSERT INTO user_invitations (id, tenant_id, email, email_key, token_hash, expires_at, created_by, trace_id,
                                   message_id, token_encrypted)
     SELECT gen_random_uuid(), $1::uuid, n::text, n::text, decode(md5($1 || n::text), 'hex'),
            now() + interval '1 hour', 'test', gen_random_uuid(), gen_random_uuid(), 'x'
     FROM generate_series(1, 999) AS n RETURNING id::text`,
    tenant.id,
  )
  return {
    tenant,
    userId: user.id,
    invitationId: invitation?.id ?? '',
    invite: () => tenant.by().invite({ email: newEmail(), role_ids: [] }),
  }
}

/** A new tenant whose one administrator is removed by `remove`, and another user. */
async function tenantWithAdministrator() {
  const tenant = await world.tenant()
  const [administrator, other] = [await tenant.member([tenant.adminRole]), await tenant.member()]
  const promote = () =>
    tenant
      .by()
      .updateUser(other.id, { role_ids: [tenant.adminRole] })
      .expect(200)
  const remove = (by: ReturnType<TestTenant['by']> = tenant.by()) => by.removeUser(administrator.id)
  return { administrator, other, promote, remove }
}

adviceSuite(problems, [
  {
    problem: 'already_member',
    advice: 'change the roles of the user',
    given: async () => {
      const tenant = await world.tenant()
      const { id, email } = await tenant.member()
      return {
        rejected: () => tenant.by().invite({ email, role_ids: [tenant.viewerRole] }),
        advised: () => tenant.by().updateUser(id, { role_ids: [tenant.viewerRole] }),
      }
    },
  },
  {
    problem: 'already_member',
    advice: 'enable a disabled user',
    given: async () => {
      const tenant = await world.tenant()
      const { id, email } = await tenant.member([], { enabled: false })
      return {
        rejected: () => tenant.by().invite({ email, role_ids: [] }),
        advised: () => tenant.by().updateUser(id, { enabled: true }),
      }
    },
  },
  {
    problem: 'user_invitation_exists',
    advice: 'send the open invitation again',
    given: async () => {
      const { invite, wait, resend } = await tenantWithInvitation()
      await wait()
      return { rejected: invite, advised: resend }
    },
  },
  {
    problem: 'user_invitation_exists',
    advice: 'cancel the invitation first',
    given: async () => {
      const { invite, cancelAndInvite } = await tenantWithInvitation()
      return { rejected: invite, advised: cancelAndInvite }
    },
  },
  {
    problem: 'user_invitation_not_open',
    advice: 'invite the person again after a cancellation',
    given: async () => {
      const { tenant, id, invite, resend } = await tenantWithInvitation()
      await tenant.by().cancel(id).expect(200)
      return { rejected: resend, advised: invite }
    },
  },
  {
    problem: 'user_invitation_not_open',
    advice: 'invite the person again after the invitation expired',
    given: async () => {
      const { tenant, id, invite, change } = await tenantWithInvitation()
      await change(`expires_at = now() - interval '1 second'`)
      return { rejected: () => tenant.by().cancel(id), advised: invite }
    },
  },
  {
    problem: 'user_invitation_not_open',
    advice: 'change the roles of the user after an acceptance',
    given: async () => {
      const { tenant, email, resend, change } = await tenantWithInvitation()
      const user = await tenant.member([], { email })
      await change(`accepted_at = now(), token_encrypted = NULL, user_id = '${user.id}'`)
      return {
        rejected: resend,
        advised: () => tenant.by().updateUser(user.id, { role_ids: [tenant.viewerRole] }),
      }
    },
  },
  {
    problem: 'resend_too_soon',
    advice: 'send the request again after Retry-After',
    given: async () => {
      const { wait, resend } = await tenantWithInvitation()
      const advised = async () => {
        await wait()
        return resend()
      }
      return { rejected: resend, advised }
    },
  },
  {
    problem: 'resend_limit_reached',
    advice: 'cancel the invitation and invite the person again',
    given: async () => {
      const { wait, change, resend, cancelAndInvite } = await tenantWithInvitation()
      await change('resend_count = 10')
      await wait()
      return { rejected: resend, advised: cancelAndInvite }
    },
  },
  {
    problem: 'too_many_users',
    advice: 'remove a user',
    given: async () => {
      const { tenant, userId, invite } = await fullTenant()
      const advised = async () => {
        await tenant.by().removeUser(userId).expect(204)
        return invite()
      }
      return { rejected: invite, advised }
    },
  },
  {
    problem: 'too_many_users',
    advice: 'cancel an invitation',
    given: async () => {
      const { tenant, invitationId, invite } = await fullTenant()
      const advised = async () => {
        await tenant.by().cancel(invitationId).expect(200)
        return invite()
      }
      return { rejected: invite, advised }
    },
  },
  {
    problem: 'last_administrator',
    advice: 'give another user such a role first',
    given: async () => {
      const { promote, remove } = await tenantWithAdministrator()
      const advised = async () => {
        await promote()
        return remove()
      }
      return { rejected: () => remove(), advised }
    },
  },
  {
    problem: 'own_user',
    advice: 'another administrator can',
    given: async () => {
      const { administrator, other, promote, remove } = await tenantWithAdministrator()
      await promote()
      const [own, another] = [await administrator.signIn(), await other.signIn()]
      return { rejected: () => remove(own.by()), advised: () => remove(another.by()) }
    },
  },
])
