import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type PageAdvice, pageAdviceSuite, plainText } from '@payments/testing/suites/page-advice'
import { acceptInvitationPage } from '../src/pages/accept-invitation.ts'
import { chooseProviderPage } from '../src/pages/choose-provider.ts'
import { chooseTenantPage } from '../src/pages/choose-tenant.ts'
import type { Page } from '../src/pages/page.ts'
import { signedOutPage } from '../src/pages/signed-out.ts'
import { advisedPeople } from './advised-people.ts'
import { newBrowser, verifiedClaims } from './browsers.ts'
import { findLink, signInFrom } from './follow-page.ts'
import { openProviders, type SignInWorld, startSignInWorld } from './sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await startSignInWorld()
})
afterAll(() => world.stop())
const { invited, signedOut, acceptNew } = advisedPeople(() => world)

const [providers, expiresAt] = [[{ id: 'acme', name: 'Acme' }], new Date('2026-12-05T09:40:00Z')]
const origin = { tenantName: 'Acme', inviter: null, roleNames: ['viewer'] }
const nothing = {
  ...{ signInId: randomUUID(), person: { name: 'Grace', email: null }, currentId: null },
  ...{ isRequestedTenantLost: false, tenants: [], invitations: [] },
}
const invitation = { origin, email: 'grace@example.com', expiresAt }

/** The pages beside those of failures. */
const pages: Readonly<Record<string, Page>> = {
  signIn: chooseProviderPage({ providers, target: {}, sessionEnd: 'idle', invitation: null }),
  noProvider: chooseProviderPage({ providers: [], target: {}, invitation: null }),
  invited: chooseProviderPage({ providers, target: {}, invitation }),
  invitedWithoutProvider: chooseProviderPage({ providers: [], target: {}, invitation }),
  choice: chooseTenantPage({
    ...nothing,
    isRequestedTenantLost: true,
    tenants: [{ id: randomUUID(), name: 'Acme', lastSignedInAt: null }],
    invitations: [{ ...origin, id: randomUUID(), expiresAt }],
  }),
  nothingToChoose: chooseTenantPage({ ...nothing, signInId: null }),
  signedOut: signedOutPage(),
  acceptInvitation: acceptInvitationPage(),
}

/** The paragraphs of a page, without its forms. */
const sentencesIn = (text: string) => plainText((text.match(/<p[ >][^]*?<\/p>/g) ?? []).join(' ')).trim()

/** An app whose providers have changed, and a browser at it. */
async function at(rules: Parameters<typeof openProviders>[1]) {
  const opened = await openProviders(world.provider, rules)
  return {
    browser: newBrowser({ ...world, app: world.createAppWith({ providers: opened }) }),
    close: () => opened.close(),
  }
}

const ofSignIn: readonly PageAdvice[] = [
  {
    page: 'signIn',
    advice: 'Use the account of your organization',
    given: async () => {
      const { browser } = await signedOut()
      const { text } = await browser.get('/session/sign-in')
      return {
        shown: text,
        advised: () => signInFrom(browser, findLink({ text }, 'Sign in with Provider acme')),
        leadsTo: '/console',
      }
    },
  },
  {
    page: 'noProvider',
    advice: 'Contact your administrator',
    given: async () => {
      await signedOut()
      const [before, after] = [await at({}), await at({ acme: {} })]
      const { text } = await before.browser.get('/session/sign-in')
      const advised = () => signInFrom(after.browser, '/session/sign-in').finally(after.close)
      before.close()
      return { shown: text, advised, leadsTo: '/console' }
    },
  },
  {
    page: 'signedOut',
    advice: 'Sign in again',
    given: async () => {
      const { browser } = await signedOut()
      const page = await browser.get('/session/signed-out')
      const advised = () => signInFrom(browser, findLink(page, 'Sign in again'))
      return { shown: page.text, advised, leadsTo: '/console' }
    },
  },
]

const ofChoice: readonly PageAdvice[] = [
  {
    page: 'choice',
    advice: 'Sign in with another account',
    given: async () => {
      const { browser } = await invited()
      const page = await browser.get((await browser.signIn('acme')).headers['location'] ?? '')
      const other = await signedOut()
      world.provider.signInAs(other.person)
      const advised = () => signInFrom(browser, findLink(page, 'Sign in with another account'))
      return { shown: page.text, advised, leadsTo: '/console' }
    },
  },
  {
    page: 'nothingToChoose',
    advice: 'Contact an administrator of your organization',
    given: async () => {
      const { browser, email, id, tenant } = await invited()
      const { headers } = await browser.signIn('acme')
      const location = headers['location'] ?? ''
      await browser.choose(location, { decline: id })
      const { text } = await browser.get(location)
      return { shown: text, advised: () => acceptNew(email, tenant, browser), leadsTo: '/console' }
    },
  },
]

const ofInvitation: readonly PageAdvice[] = [
  {
    page: 'invited',
    advice: 'Sign in as',
    given: async () => {
      const { browser, token } = await invited()
      const location = await browser.open(token)
      const { text } = await browser.get(location)
      return { shown: text, advised: () => signInFrom(browser, location), leadsTo: '/console' }
    },
  },
  {
    page: 'invitedWithoutProvider',
    advice: 'Contact the person who invited you',
    given: async () => {
      const { tenant, email, token } = await invited()
      const { browser, close } = await at({ acme: { email_domains: ['acme.example'] } })
      const { text } = await browser.get(await browser.open(token))
      const address = `${randomUUID()}@acme.example`
      const advised = async () => {
        world.provider.signInAs({ subject: email, claims: verifiedClaims(address) })
        return acceptNew(address, tenant, browser).finally(close)
      }
      return { shown: text, advised, leadsTo: '/console' }
    },
  },
]

const inBrowser = 'services/identity/test/pages-browser.test.ts'

pageAdviceSuite(
  new Map(Object.entries(pages).map(([page, { main }]) => [page, sentencesIn(main.text)])),
  [...ofSignIn, ...ofChoice, ...ofInvitation],
  [
    {
      ...{ page: 'acceptInvitation', advice: 'Switch it on for this page, and open the link again', file: inBrowser },
      ...{ test: 'requests JavaScript where it is off', shows: 'This page needs JavaScript' },
    },
    {
      ...{ page: 'acceptInvitation', advice: 'Open the whole link from the message', file: inBrowser },
      ...{ test: 'a link that is not complete says so', shows: 'The link is not complete' },
    },
    {
      ...{ page: 'acceptInvitation', advice: 'Continue to see who invites you', file: inBrowser },
      ...{ test: 'sends it only when the person continues', shows: 'Continue' },
    },
  ],
  [],
)

test('has every page', () => {
  const directory = join(import.meta.dirname, '../src/pages')
  const names = readdirSync(directory).flatMap((file) => {
    const source = readFileSync(join(directory, file), 'utf8')
    return [...source.matchAll(/^export (?:const|function) (\w+Page)\b/gm)].map(([, name]) => name)
  })
  const listed = [acceptInvitationPage, chooseProviderPage, chooseTenantPage, signedOutPage].map(({ name }) => name)
  // The pages of failures have tests of their own.
  expect(names.sort()).toEqual([...listed, 'failurePage', 'renderPage'].sort())
})
