import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readTitle, verifiedClaims } from './browsers.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import { newEmail } from './world.ts'

const otherTenant = randomUUID()
let world: SignInWorld
beforeAll(async () => {
  const rules = { membership: 'claims', tenant_claim: 'tenant', roles_claim: 'groups' } as const
  world = await startSignInWorld({ company: rules, narrow: { ...rules, tenants: [otherTenant] } })
})
afterAll(() => world.stop())

const person = (tenant: unknown, groups: unknown, subject = randomUUID()) => ({
  subject,
  claims: verifiedClaims(newEmail(), { tenant, groups }),
})

test('a provider that decides gives memberships, and the roles follow it at each sign-in', async () => {
  const tenant = await world.tenant()
  const browser = world.browser()
  const first = person(tenant.id.toUpperCase(), ['viewer', 'unknown'])
  world.provider.signInAs(first)
  expect((await browser.signIn('company')).status).toBe(303)
  const session = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(session).toMatchObject({ tenant_id: tenant.id, role_ids: [tenant.viewerRole] })
  expect((await tenant.by().readUser(session.user_id)).body.created_by).toBe('sign-in-provider:company')
  world.provider.signInAs(person(tenant.id, 'admin', first.subject))
  await browser.signIn('company')
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({
    user_id: session.user_id,
    role_ids: [tenant.adminRole],
  })
  expect((await tenant.events()).map(({ type }) => type)).toContain('identity.users.update')
})

test.each([
  ['names no tenant', () => person(undefined, ['viewer'])],
  ['names a tenant by another text', () => person('Acme', ['viewer'])],
  ['names an unknown tenant', () => person(randomUUID(), ['viewer'])],
  ['names no roles', () => person(otherTenant, undefined)],
  ['has roles of another form', () => person(otherTenant, [{ name: 'viewer' }])],
])('a token that %s signs no person in', async (_, claims) => {
  world.provider.signInAs(claims())
  const before = await world.counts()
  const response = await world.browser().signIn('company')
  expect([response.status, readTitle(response)]).toEqual([403, 'Your account has no access'])
  expect(await world.counts()).toEqual(before)
})

test('roles that the tenant does not have give no access', async () => {
  world.provider.signInAs(person((await world.tenant()).id, ['nothing']))
  expect(readTitle(await world.browser().signIn('company'))).toBe('Your account has no access')
})

test('a provider decides over its own tenants only', async () => {
  world.provider.signInAs(person((await world.tenant()).id, ['viewer']))
  const response = await world.browser().signIn('narrow')
  expect(readTitle(response)).toBe('This sign-in provider is not for your organization')
})

test('a user whom the tenant disabled stays disabled', async () => {
  const tenant = await world.tenant()
  await tenant.member([tenant.adminRole])
  const browser = world.browser()
  world.provider.signInAs(person(tenant.id, ['viewer']))
  await browser.signIn('company')
  const { user_id: userId } = await world.identify(browser.cookie('__Host-session') ?? '')
  await tenant.by().updateUser(userId, { enabled: false }).expect(200)
  expect(readTitle(await browser.signIn('company'))).toBe('Your access is disabled')
})

test('an open invitation has no effect where claims decide', async () => {
  const tenant = await world.tenant()
  const { email, id } = await world.invite(tenant)
  world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
  expect(readTitle(await world.browser().signIn('company'))).toBe('Your account has no access')
  expect((await tenant.invitation(id))?.['accepted_at']).toBeNull()
})

test('a sign-in ends the memberships that the provider gave before, and no other', async () => {
  const [first, second, inviting] = [await world.tenant(), await world.tenant(), await world.tenant()]
  const [browser, elsewhere, claimed] = [world.browser(), world.browser(), person(first.id, ['viewer'])]
  world.provider.signInAs(claimed)
  await browser.signIn('company')
  await elsewhere.signIn('company')
  const { user_id: userId } = await world.identify(browser.cookie('__Host-session') ?? '')
  await world.join(inviting.id, userId, [inviting.viewerRole])
  world.provider.signInAs(person(second.id, ['viewer'], claimed.subject))
  expect((await browser.signIn('company')).status).toBe(303)
  expect(await world.identify(browser.cookie('__Host-session') ?? '')).toMatchObject({ tenant_id: second.id })
  expect(await world.identify(elsewhere.cookie('__Host-session') ?? '')).toBeNull()
  expect((await first.by().readUser(userId)).status).toBe(404)
  expect((await first.events()).map(({ type }) => type)).toContain('identity.users.delete')
  expect((await inviting.by().readUser(userId)).status).toBe(200)
})

test('a user whom a tenant disabled stays disabled, also after the provider named another tenant', async () => {
  const [first, second] = [await world.tenant(), await world.tenant()]
  await first.member([first.adminRole])
  const [browser, claimed] = [world.browser(), person(first.id, ['viewer'])]
  world.provider.signInAs(claimed)
  await browser.signIn('company')
  const { user_id: userId } = await world.identify(browser.cookie('__Host-session') ?? '')
  await first.by().updateUser(userId, { enabled: false }).expect(200)
  world.provider.signInAs(person(second.id, ['viewer'], claimed.subject))
  expect((await browser.signIn('company')).status).toBe(303)
  world.provider.signInAs(claimed)
  expect(readTitle(await browser.signIn('company'))).toBe('Your access is disabled')
})

test('a tenant has at most 1 000 users, also where claims decide, and ten at once do not exceed it', async () => {
  const tenant = await world.tenant()
  await world.rows(
    `INSERT INTO user_invitations (id, tenant_id, email, email_key, token_hash, token_encrypted, expires_at,
       created_by, trace_id, message_id)
     SELECT gen_random_uuid(), $1::uuid, n::text, n::text, decode(md5($1 || n::text), 'hex'), '\\x00',
            now() + interval '1 hour', 'test', gen_random_uuid(), gen_random_uuid()
       FROM generate_series(1, 999) AS n RETURNING 1`,
    tenant.id,
  )
  const callbacks = []
  for (let index = 0; index < 10; index += 1) {
    const browser = world.browser({ address: `192.0.2.${index + 50}` })
    world.provider.signInAs(person(tenant.id, ['viewer']))
    callbacks.push({ browser, callback: await browser.begin('/session/sign-in?provider=company') })
  }
  const replies = await Promise.all(callbacks.map(({ browser, callback }) => browser.callback(callback)))
  expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([303, ...Array(9).fill(409)])
  const rejected = replies.find(({ status }) => status === 409)
  expect(readTitle(rejected ?? { text: '' })).toBe('Your organization has too many users')
})
