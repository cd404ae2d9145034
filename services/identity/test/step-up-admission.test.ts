import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newBrowser, readTitle, verifiedClaims } from './browsers.ts'
import { openProviders, type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import { newEmail } from './world.ts'

/** A step-up admits a person by the rules of this moment, as a sign-in does. */
const rules = { membership: 'claims', tenant_claim: 'tenant', roles_claim: 'groups' } as const
let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({ company: rules })
})
afterAll(() => world.stop())

test('the new session ends no later than the one that it replaces', async () => {
  const { browser, session, email, person } = await world.signedIn(await world.tenant())
  await world.rows(`UPDATE sessions SET expires_at = now() + interval '1 hour' WHERE id = $1::uuid`, session.session_id)
  const before = await world.identify(browser.cookie('__Host-session') ?? '')
  world.provider.signInAs({ ...person, claims: verifiedClaims(email) })
  const response = await browser.stepUp()
  expect(response.status).toBe(303)
  const after = await world.identify(browser.cookie('__Host-session') ?? '')
  expect(after.session_id).not.toBe(before.session_id)
  expect(after.expires_at).toBe(before.expires_at)
  const age = /Max-Age=(\d+)/.exec(String(response.headers['set-cookie']))?.[1]
  // One day longer than the session, for the reason of its end.
  expect(Number(age)).toBeLessThanOrEqual(86_400 + 3_600)
})

test.each([
  ['of other domains', { email_domains: ['other.example'] }, 'This account cannot be used here'],
  ['of other tenants', { tenants: [randomUUID()] }, 'This sign-in provider is not for your organization'],
])(
  'at a provider that is one %s by now, a person does not step up, and the session stays',
  async (_, changes, title) => {
    const { browser, session, value } = await world.signedIn(await world.tenant())
    const providers = await openProviders(world.provider, { acme: changes })
    const changed = newBrowser({ ...world, app: world.createAppWith({ providers }) })
    for (const [name, cookie] of browser.cookies) changed.cookies.set(name, cookie)
    const response = await changed.stepUp()
    expect([response.status, readTitle(response)]).toEqual([403, title])
    expect(await world.identify(value)).toEqual(session)
    providers.close()
  },
)

test('a user of a suspended tenant does not step up', async () => {
  const tenant = await world.tenant()
  const { browser } = await world.signedIn(tenant)
  await world.rbac.asPayctl.suspendTenant({ traceId: randomUUID() }, { params: { tenant_id: tenant.id } })
  const response = await browser.stepUp()
  expect([response.status, readTitle(response)]).toEqual([403, 'Your organization is suspended'])
})

async function signedInByClaims() {
  const tenant = await world.tenant()
  const [subject, email, browser] = [randomUUID(), newEmail(), world.browser()]
  const claim = (tenantId: string, groups: readonly string[]) =>
    world.provider.signInAs({ subject, claims: verifiedClaims(email, { tenant: tenantId, groups }) })
  claim(tenant.id, ['viewer'])
  await browser.signIn('company')
  const current = () => world.identify(browser.cookie('__Host-session') ?? '')
  return { tenant, browser, claim, current }
}

test('where claims decide, the roles follow them at a step-up', async () => {
  const { tenant, browser, claim, current } = await signedInByClaims()
  claim(tenant.id, ['admin'])
  expect((await browser.stepUp()).status).toBe(303)
  expect(await current()).toMatchObject({ tenant_id: tenant.id, role_ids: [tenant.adminRole] })
})

test.each(['no role', 'another tenant'])(
  'where claims decide and name %s, the person does not step up',
  async (claimed) => {
    const { tenant, browser, claim, current } = await signedInByClaims()
    const before = await current()
    if (claimed === 'no role') claim(tenant.id, [])
    else claim((await world.tenant()).id, ['viewer'])
    const response = await browser.stepUp()
    expect([response.status, readTitle(response)]).toEqual([403, 'Your account has no access'])
    expect(await current()).toEqual(before)
  },
)
