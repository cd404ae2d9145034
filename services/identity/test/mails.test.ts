import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { until } from '@payments/testing/services/until'
import { newEmail, startWorld, type TestTenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  // Two processes.
  world.startMails()
  world.startMails()
})
afterAll(() => world.stop())
beforeEach(() => {
  Object.assign(world.communication.state, { isDown: false, isRejecting: false })
})

const invite = async (tenant: TestTenant) => {
  const email = newEmail()
  const { body } = await tenant.by().invite({ email, role_ids: [tenant.viewerRole] })
  return { id: body.id as string, email, expiresAt: body.expires_at as string }
}
const mailsTo = (email: string) => world.communication.mails.filter(({ recipient }) => recipient === email)
const isDone = (tenant: TestTenant, id: string) => async () => (await tenant.invitation(id))?.['mail_due_at'] === null

test('hands over one mail with the tenant, the link and its end, and reports when', async () => {
  const tenant = await world.tenant()
  const { id, email, expiresAt } = await invite(tenant)
  await until(isDone(tenant, id))
  expect(mailsTo(email)).toMatchObject([{ tenant_name: 'Acme', recipient: email, expires_at: new Date(expiresAt) }])
  expect(mailsTo(email)[0]?.url).toMatch(/^https:\/\/console\.example\/session\/accept#[\w-]{43}$/)
  expect((await tenant.by().readInvitation(id)).body.last_sent_at).toEqual(expect.any(String))
})

test('hands over the name and address of the inviter, and the names of the roles', async () => {
  const tenant = await world.tenant()
  const inviter = await tenant.member([tenant.adminRole], { name: 'Ada King', email: newEmail() })
  const session = await inviter.signIn()
  const email = newEmail()
  const invited = { email, role_ids: [tenant.viewerRole, tenant.adminRole] }
  const { body } = await session.by().invite(invited).expect(201)
  await until(isDone(tenant, body.id))
  const named = { inviter: { name: 'Ada King', email: inviter.email }, role_names: ['admin', 'viewer'] }
  expect(mailsTo(email)).toMatchObject([named])
})

test.each(['auth0|5f7c', 'ada@example.com', 'a:b:c', "x'); DROP--", '💳'.repeat(60)])(
  'the subject of another issuer invites, and its mail names no person: %s',
  async (id) => {
    const tenant = await world.tenant()
    const email = newEmail()
    const { asTenant } = world.createCallers(world.app)
    const call = asTenant(tenant.id, undefined, { type: 'user', id })
    const { body } = await call.post('/v1/identity/user-invitations', { email, role_ids: [] }).expect(201)
    expect(body.created_by).toBe(`user:${id}`)
    await until(isDone(tenant, body.id))
    expect(mailsTo(email)).toMatchObject([{ tenant_name: 'Acme' }])
    expect(mailsTo(email)[0]?.inviter).toBeUndefined()
    expect((await call.get('/v1/identity/self')).body.actor).toEqual({ type: 'user', id, name: null })
    expect((await call.get('/v1/identity/sessions')).body.code).toBe('session_required')
    const event = (await tenant.events()).at(-1)
    expect(event?.payload).toMatchObject({ user_invitation: { created_by: `user:${id}` } })
  },
)

test('hands over the language of an invitation, and no other one', async () => {
  const tenant = await world.tenant()
  const email = newEmail()
  const { body } = await tenant.by().invite({ email, role_ids: [tenant.viewerRole], locale: 'de-AT' })
  expect(body.locale).toBe('de-AT')
  await until(isDone(tenant, body.id))
  expect(mailsTo(email)).toMatchObject([{ locale: 'de-AT' }])
})

test('attempts again after an outage, and hands over one mail', async () => {
  world.communication.state.isDown = true
  const tenant = await world.tenant()
  const { id, email } = await invite(tenant)
  await until(async () => ((await tenant.invitation(id))?.['mail_attempts'] as number) > 0)
  expect(mailsTo(email)).toEqual([])
  expect((await tenant.by().readInvitation(id)).body.last_sent_at).toBeNull()
  world.communication.state.isDown = false
  await until(isDone(tenant, id))
  expect(mailsTo(email)).toHaveLength(1)
})

test('a mail that communication rejects is not attempted again', async () => {
  world.communication.state.isRejecting = true
  const tenant = await world.tenant()
  const { id, email } = await invite(tenant)
  await until(isDone(tenant, id))
  expect(await tenant.invitation(id)).toMatchObject({ mail_attempts: 1, last_sent_at: null })
  expect(mailsTo(email)).toEqual([])
})

test('no mail leaves for an invitation that was canceled before', async () => {
  world.communication.state.isDown = true
  const tenant = await world.tenant()
  const { id, email } = await invite(tenant)
  await tenant.by().cancel(id)
  world.communication.state.isDown = false
  const { id: next } = await invite(tenant)
  await until(isDone(tenant, next))
  expect(mailsTo(email)).toEqual([])
})
