import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { advisedPeople } from './advised-people.ts'
import { newBrowser, verifiedClaims } from './browsers.ts'
import { type AccessFailure, type AdvicesByFailure, advice, failureAdviceSuite } from './failure-advice.ts'
import { beginAgain, findLink, signInFrom } from './follow-page.ts'
import { openProviders, type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import { newEmail } from './world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld({
    domains: { email_domains: ['acme.example'] },
    limited: { tenants: [randomUUID()] },
    company: { membership: 'claims', tenant_claim: 'tenant', roles_claim: 'groups' },
  })
})
afterAll(() => world.stop())
const { invited, inSession, signedOut, claimed, acceptNew, fill } = advisedPeople(() => world)

/** The link of an invitation that has ended, and a new invitation. */
const ofEnded = (instruction: string, end: (person: Awaited<ReturnType<typeof invited>>) => Promise<unknown>) =>
  advice(instruction, async () => {
    const person = await invited()
    const { browser, email, tenant, token } = person
    await end(person)
    const page = await browser.post('/session/accept', { token })
    return { page, advised: () => acceptNew(email, tenant, browser) }
  })

/**
 * The provider of a session has other rules by now. The person signs out, and signs in with the account of the
 * organization at `provider`.
 */
const changedProvider = (rules: Parameters<typeof openProviders>[1][string], provider: string) =>
  advice('If you are signed in, sign out', async () => {
    const tenant = await world.tenant()
    const other = await world.signedIn(tenant, { email: `${randomUUID()}@acme.example` })
    const { browser, person } = await world.signedIn(tenant)
    world.provider.signInAs(person)
    const providers = await openProviders(world.provider, { acme: rules, other: {} })
    const changed = newBrowser({ ...world, app: world.createAppWith({ providers }) })
    for (const [name, cookie] of browser.cookies) changed.cookies.set(name, cookie)
    const page = await changed.stepUp('?return_to=/console/keys')
    const advised = async () => {
      world.provider.signInAs(other.person)
      await changed.post('/session/sign-out', {})
      return beginAgain(changed, page, provider).finally(() => providers.close())
    }
    return { page, advised, leadsTo: '/console/keys' }
  })

const suspension = (tenantId: string) => [{ traceId: randomUUID() }, { params: { tenant_id: tenantId } }] as const

const advices: AdvicesByFailure<AccessFailure> = {
  email_domain: [
    advice('sign in with the account of your organization', async () => {
      const { browser } = await signedOut()
      const page = await browser.signIn('domains')
      const email = `${randomUUID()}@acme.example`
      await world.invite(await world.tenant(), email)
      const advised = async () => {
        world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
        return (await beginAgain(browser, page, 'domains')).split('?')[0]
      }
      return { page, advised, leadsTo: '/session/choose-tenant' }
    }),
    changedProvider({ email_domains: ['acme.example'] }, 'acme'),
  ],
  not_invited: [
    advice('sign in with the email address that it was sent to', async () => {
      const { browser, id, become } = await invited()
      become({ email: newEmail() })
      const page = await browser.signIn('acme')
      const advised = async () => {
        become()
        return (await browser.choose(await beginAgain(browser, page), { accept: id })).headers['location']
      }
      return { page, advised }
    }),
    advice('contact an administrator of your organization', async () => {
      const [browser, email] = [world.browser(), newEmail()]
      world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
      const tenant = await world.tenant()
      return { page: await browser.signIn('acme'), advised: () => acceptNew(email, tenant, browser) }
    }),
  ],
  disabled: [
    advice('Contact an administrator of your organization', async () => {
      const { browser, tenant, userId } = await signedOut()
      const enable = (enabled: boolean) => tenant.by().updateUser(userId, { enabled }).expect(200)
      await tenant.member([tenant.adminRole])
      await enable(false)
      const page = await browser.signIn('acme')
      const advised = async () => {
        await enable(true)
        return beginAgain(browser, page)
      }
      return { page, advised }
    }),
  ],
  not_claimed: [
    advice('Contact an administrator of your organization', async () => {
      const { browser, claim } = await claimed([])
      const page = await browser.signIn('company')
      const advised = () => {
        claim(['viewer'])
        return beginAgain(browser, page, 'company')
      }
      return { page, advised }
    }),
  ],
  too_many_users: [
    advice('Contact an administrator of your organization', async () => {
      const { browser, tenant } = await claimed(['viewer'])
      const invitationId = await fill(tenant.id)
      const page = await browser.signIn('company')
      const advised = async () => {
        await tenant.by().cancel(invitationId).expect(200)
        return beginAgain(browser, page, 'company')
      }
      return { page, advised }
    }),
  ],
  provider_not_for_tenant: [
    advice('begin again, and choose it', async () => {
      const { browser } = await signedOut()
      const page = await browser.signIn('limited')
      return { page, advised: () => beginAgain(browser, page) }
    }),
    changedProvider({ tenants: [randomUUID()] }, 'other'),
  ],
  tenant_suspended: [
    advice('Contact the operator of this service', async () => {
      const { browser, tenant } = await signedOut()
      await world.rbac.asPayctl.suspendTenant(...suspension(tenant.id))
      const page = await browser.signIn('acme')
      const advised = async () => {
        await world.rbac.asPayctl.resumeTenant(...suspension(tenant.id))
        return beginAgain(browser, page)
      }
      return { page, advised }
    }),
  ],
  not_a_member: [
    advice('Contact an administrator of your organization', async () => {
      const [{ browser, userId }, tenant] = [await inSession(), await world.tenant()]
      const switched = () => browser.post('/session/switch-tenant', { tenant_id: tenant.id })
      const page = await switched()
      const advised = async () => {
        await world.join(tenant.id, userId, [])
        return [findLink(page, 'Open the console'), (await switched()).headers['location']]
      }
      return { page, advised, leadsTo: ['/console', '/console'] }
    }),
  ],
  invitation_unknown: [
    advice('Check that you opened the whole link', async () => {
      const { browser, token } = await invited()
      const page = await browser.post('/session/accept', {
        token: token.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
      })
      return { page, advised: async () => signInFrom(browser, await browser.open(token)) }
    }),
    advice('request a new one from an administrator of your organization', async () => {
      const { browser, email, tenant, id } = await invited()
      const page = await browser.post('/session/accept', { token: 'A'.repeat(43) })
      await tenant.by().cancel(id).expect(200)
      return { page, advised: () => acceptNew(email, tenant, browser) }
    }),
  ],
  invitation_accepted: [
    advice('If you accepted it, sign in', async () => {
      const { browser, token } = await invited()
      await browser.signInByLink(token)
      await browser.post('/session/sign-out', {})
      const page = await browser.post('/session/accept', { token })
      return { page, advised: () => beginAgain(browser, page) }
    }),
    advice('contact an administrator of your organization', async () => {
      const [{ browser, token, tenant, email }, other] = [await invited(), world.browser()]
      await browser.signInByLink(token)
      const page = await other.post('/session/accept', { token })
      const advised = async () => {
        const { data } = (await tenant.by().listUsers().expect(200)).body
        await tenant.by().removeUser(data[0].id).expect(204)
        world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(email) })
        return acceptNew(email, tenant, other)
      }
      return { page, advised }
    }),
  ],
  invitation_closed: [
    advice('Sign in if you accepted it', async () => {
      const { browser, id } = await invited()
      const { headers } = await browser.signIn('acme')
      const location = headers['location'] ?? ''
      await browser.choose(location, { accept: id })
      const page = await browser.choose(location, { decline: id })
      await browser.post('/session/sign-out', {})
      return { page, advised: () => signInFrom(browser, '/session/sign-in') }
    }),
    ofEnded('request a new one from an administrator of your organization', ({ tenant, id }) =>
      tenant.by().cancel(id).expect(200),
    ),
    ofEnded('request a new one from an administrator of your organization', ({ id }) =>
      world.rows(`UPDATE user_invitations SET expires_at = now() WHERE id = $1::uuid`, id),
    ),
  ],
  invitation_declined: [
    ofEnded('request a new one from an administrator of your organization', async ({ browser, id }) => {
      const { headers } = await browser.signIn('acme')
      return browser.choose(headers['location'] ?? '', { decline: id })
    }),
  ],
}

failureAdviceSuite(advices)
