import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { client } from '@payments/chassis/client/client'
import { rbac as rbacContract } from '@payments/contracts/services/rbac/contract'
import type { SignInFault } from '@payments/testing/peers/sign-in-provider'
import type { SignInFailure } from '../src/domain/sign-in-failure.ts'
import { advisedPeople } from './advised-people.ts'
import { newBrowser, verifiedClaims } from './browsers.ts'
import { type AccessFailure, type AdvicesByFailure, advice, failureAdviceSuite } from './failure-advice.ts'
import { beginAgain, findLink, signInFrom } from './follow-page.ts'
import { type SignInWorld, startSignInWorld } from './sign-in-world.ts'
import { newEmail } from './world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())
afterEach(() => world.provider.become(null))
const { invited, inSession, signedOut, acceptNew } = advisedPeople(() => world)

/** The provider has a fault, then none. */
const fault = (instruction: string, of: SignInFault) =>
  advice(instruction, async () => {
    const { browser, token } = await invited()
    await browser.begin('/session/sign-in?provider=acme')
    world.provider.become(of)
    const page = await browser.signInByLink(token)
    const advised = () => {
      world.provider.become(null)
      return beginAgain(browser, page)
    }
    return { page, advised }
  })

/** The same while a person confirms an operation: the sign-in that begins again is a fresh one. */
const faultOfStepUp = (instruction: string, of: SignInFault) =>
  advice(instruction, async () => {
    const { browser, value } = await inSession()
    world.provider.become(of)
    const page = await browser.stepUp('?return_to=/console/keys')
    const advised = async () => {
      world.provider.become(null)
      return [await beginAgain(browser, page), browser.cookie('__Host-session') === value]
    }
    return { page, advised, leadsTo: ['/console/keys', false] }
  })

/** A user signs in with other claims, then with their own. */
const ofClaims = (instruction: string, claims: () => Readonly<Record<string, unknown>>) =>
  advice(instruction, async () => {
    const { browser, token, become } = await invited()
    become(claims())
    const page = await browser.signInByLink(token)
    const advised = () => {
      become()
      return beginAgain(browser, page)
    }
    return { page, advised }
  })

/** A new failure does not compile without its instructions. */
const advices: AdvicesByFailure<Exclude<SignInFailure, AccessFailure>> = {
  denied: [
    fault('begin again', 'access denied'),
    faultOfStepUp('begin again', 'access denied'),
    advice('choose another account', async () => {
      const [other, { browser }] = [await signedOut(), await signedOut()]
      world.provider.become('access denied')
      const page = await browser.signIn('acme')
      const advised = () => {
        world.provider.become(null)
        world.provider.signInAs(other.person)
        return beginAgain(browser, page)
      }
      return { page, advised }
    }),
  ],
  unreadable: [
    advice('Go back, and try again', async () => {
      const { browser, tenant } = await inSession()
      const page = await browser.post('/session/switch-tenant', {})
      const again = () => browser.post('/session/switch-tenant', { tenant_id: tenant.id })
      return { page, advised: async () => (await again()).headers['location'] }
    }),
  ],
  embedded: [
    advice('Open this page in a tab of its own', async () => {
      const { browser } = await signedOut()
      const path = '/session/sign-in?provider=acme'
      return { page: await browser.get(path, { load: 'embedded' }), advised: () => signInFrom(browser, path) }
    }),
  ],
  other_browser: [
    advice('Begin again', async () => {
      const { browser } = await signedOut()
      const other = world.browser()
      const page = await other.callback(await browser.begin('/session/sign-in?provider=acme'))
      return { page, advised: () => beginAgain(other, page) }
    }),
  ],
  not_open: [
    advice('Open the console', async () => {
      const page = await world.browser().callback(`/session/callback/acme?code=x&state=${'A'.repeat(43)}`)
      return { page, advised: async () => findLink(page, 'Open the console') }
    }),
  ],
  invalid: [
    fault('Begin again', 'wrong nonce'),
    fault('contact an administrator', 'signature by another key'),
    faultOfStepUp('Begin again', 'wrong nonce'),
  ],
  clock: [
    fault('Begin again in a minute', 'ID token of the future'),
    fault('contact an administrator', 'expired ID token'),
  ],
  stale: [
    fault('Sign out at your provider, then begin again', 'stale auth_time'),
    faultOfStepUp('Sign out at your provider, then begin again', 'stale auth_time'),
  ],
  unverified_email: [
    ofClaims('Verify the address at the provider, then begin again', () => ({ email_verified: false })),
  ],
  other_email: [
    ofClaims('Sign in with the invited address', () => ({ email: newEmail() })),
    advice('request an invitation of this one', async () => {
      const { browser, tenant, token, become } = await invited()
      const email = newEmail()
      become({ email })
      return { page: await browser.signInByLink(token), advised: () => acceptNew(email, tenant, browser) }
    }),
  ],
  other_person: [
    advice('sign in again', async () => {
      const { browser, person } = await inSession()
      world.provider.signInAs({ subject: randomUUID(), claims: verifiedClaims(newEmail()) })
      const page = await browser.stepUp()
      const advised = async () => {
        world.provider.signInAs(person)
        return [findLink(page, 'Open the console'), (await browser.stepUp()).headers['location']]
      }
      return { page, advised, leadsTo: ['/console', '/console'] }
    }),
  ],
  session_ended: [
    advice('Sign in again', async () => {
      const { browser, tenant, userId } = await inSession()
      const callback = await browser.begin('/session/step-up?return_to=/console/keys')
      await tenant.by().endAllSessions(userId).expect(200)
      const page = await browser.callback(callback)
      return { page, advised: () => beginAgain(browser, page), leadsTo: '/console/keys' }
    }),
  ],
  provider_unavailable: [
    fault('Try again in a minute', 'down'),
    fault('contact an administrator', 'redirects'),
    faultOfStepUp('Try again in a minute', 'down'),
  ],
  unavailable: [
    advice('Try again in a minute', async () => {
      const { browser } = await signedOut()
      const nowhere = { self: 'identity', baseUrl: 'http://127.0.0.1:1', timeoutMs: 500 } as const
      const rbac = client(rbacContract, { ...nowhere, keys: new Map([['rbac', createSecretKey(randomBytes(32))]]) })
      const page = await newBrowser({ ...world, app: world.createAppWith({ rbac }) }).signIn('acme')
      return { page, advised: () => beginAgain(browser, page) }
    }),
  ],
  unknown_provider: [],
}

failureAdviceSuite(advices)
