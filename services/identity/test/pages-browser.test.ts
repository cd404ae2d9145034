/** @slow It drives Chromium. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { accessibilityViolations, type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import type { SignInFailure } from '../src/domain/sign-in-failure.ts'
import { acceptInvitationPage } from '../src/pages/accept-invitation.ts'
import { chooseProviderPage } from '../src/pages/choose-provider.ts'
import { chooseTenantPage } from '../src/pages/choose-tenant.ts'
import { failurePage } from '../src/pages/failure.ts'
import { renderPage } from '../src/pages/page.ts'
import { signedOutPage } from '../src/pages/signed-out.ts'

const screenshots = process.env['SIGN_IN_PAGE_SCREENSHOTS']
const providers = [
  { id: 'acme', name: 'Acme Corporation' },
  { id: 'other', name: 'Rindfleischetikettierungsüberwachungs-Genossenschaft <Süd>' },
]
const choice = { providers, target: { returnTo: '/console/keys?page=2' }, invitation: null }
const email = 'grace.brewster.murray.hopper@very-long-domain.example'
const expiresAt = new Date('2026-12-05T09:40:00Z')
const origin = {
  tenantName: 'Juniper & Sons',
  inviter: { name: 'Ada <King>', email },
  roleNames: ['admin', 'viewer', ...Array.from({ length: 12 }, (_, index) => `role-${index}`)],
}
const invitation = { origin, email, expiresAt }
const tenants = [
  { id: randomUUID(), name: 'Juniper & Sons', lastSignedInAt: expiresAt },
  { id: randomUUID(), name: 'Rindfleischetikettierungsüberwachungs-Genossenschaft <Süd>', lastSignedInAt: null },
]
const tenantChoice = {
  ...{
    signInId: randomUUID(),
    person: { name: 'Grace', email },
    currentId: null,
    isRequestedTenantLost: true,
    tenants,
  },
  invitations: [{ ...origin, id: randomUUID(), expiresAt }],
}
const renderFailure = (failure: SignInFailure, environment: 'dev' | 'qa' | 'prod' = 'prod') =>
  renderPage(environment, failurePage(failure, {}))

const pages: Readonly<Record<string, PageReply>> = {
  'sign in': renderPage('dev', chooseProviderPage(choice)),
  'sign in, qa': renderPage('qa', chooseProviderPage({ ...choice, providers: providers.slice(0, 1) })),
  'sign in, after a session': renderPage('dev', chooseProviderPage({ ...choice, sessionEnd: 'idle' })),
  'sign in, no provider': renderPage('prod', chooseProviderPage({ ...choice, providers: [] })),
  invited: renderPage('prod', chooseProviderPage({ ...choice, invitation })),
  'invited, without a provider': renderPage(
    'prod',
    chooseProviderPage({ ...choice, providers: [], invitation: { origin: null, email: null, expiresAt } }),
  ),
  'choice of a tenant': renderPage('prod', chooseTenantPage(tenantChoice)),
  'choice of a tenant, in a session': renderPage(
    'dev',
    chooseTenantPage({
      ...tenantChoice,
      signInId: null,
      currentId: tenants[0]?.id ?? '',
      isRequestedTenantLost: false,
    }),
  ),
  'only invited': renderPage('dev', chooseTenantPage({ ...tenantChoice, isRequestedTenantLost: false, tenants: [] })),
  'nothing to choose': renderPage('dev', chooseTenantPage({ ...tenantChoice, tenants: [], invitations: [] })),
  'signed out': renderPage('prod', signedOutPage()),
  clock: renderFailure('clock'),
  'other person': renderFailure('other_person', 'qa'),
  'unknown invitation': renderFailure('invitation_unknown', 'dev'),
}
const acceptPage = renderPage('dev', acceptInvitationPage())
const token = 'A'.repeat(43)

let browser: Browser
let server: Receiver
let shown: PageReply = acceptPage
const complaints: string[] = []

beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), receiver()])
  server.respondWith(({ method }) => {
    if (method === 'POST') return { status: 204 }
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': shown.policy }
    return { status: 200, headers, body: shown.html }
  })
})
afterAll(async () => {
  await Promise.all([browser?.close(), server?.close()])
})
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  complaints.length = 0
})

async function open(reply: PageReply, path: string, { javaScriptEnabled = true } = {}): Promise<Page> {
  shown = reply
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, javaScriptEnabled })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(new URL(path, server.url).href)
  return page
}

async function look(page: Page, name: string): Promise<void> {
  for (const width of [360, 1440]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      expect(await accessibilityViolations(page)).toEqual([])
      if (screenshots !== undefined) {
        await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`), fullPage: true })
      }
    }
  }
}

it.each(Object.entries(pages))(
  'is accessible and obeys its policy, on phone and desktop, light and dark, without a script: %s',
  async (name, reply) => {
    const page = await open(reply, '/session/sign-in')
    await look(page, name)
    expect(reply.html).not.toContain('<script')
    expect(complaints).toEqual([])
  },
)

it.each([...Object.entries(pages), ['accept', acceptPage] as const])(
  'never scrolls sideways at 320 px, and has targets of 44 px: %s',
  async (_name, reply) => {
    const page = await open(reply, `/session/accept#${token}`)
    await page.setViewportSize({ width: 320, height: 600 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    const boxes = await Promise.all((await page.locator('button, a').all()).map((target) => target.boundingBox()))
    expect(boxes.filter((box) => box === null || box.height < 44)).toEqual([])
  },
)

it('shows the focus of the keyboard', async () => {
  const page = await open(renderPage('dev', chooseProviderPage(choice)), '/session/sign-in')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').textContent()).toContain('Sign in with Acme Corporation')
  expect(await page.locator(':focus').evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
})

it('the link of an invitation: removes the token from the address bar, and sends it only when the person continues', async () => {
  const page = await open(acceptPage, `/session/accept#${token}`)
  expect(await page.evaluate('location.href')).toBe(`${server.url}/session/accept`)
  await look(page, 'accept')
  const posts = () => server.received.filter(({ method }) => method === 'POST')
  expect(posts()).toEqual([])
  await page.getByRole('button', { name: 'Continue' }).click()
  const [post] = await server.waitFor(({ method }) => method === 'POST')
  expect(post?.path).toBe('/session/accept')
  expect(post?.body.toString()).toBe(`token=${token}`)
  expect(server.received.map(({ path, headers }) => `${path} ${headers.referer}`).join()).not.toContain(token)
  expect(complaints).toEqual([])
})

it.each(['', '#', '#short', `#${token}<script>`])('a link that is not complete says so: %s', async (fragment) => {
  const page = await open(acceptPage, `/session/accept${fragment}`)
  expect(await page.getByText('The link is not complete').isVisible()).toBe(true)
  expect(await page.getByRole('button').count()).toBe(0)
  await page.goto('about:blank')
  await page.goto(new URL(`/session/accept#${token}`, server.url).href)
  expect(await page.getByRole('button', { name: 'Continue' }).isVisible()).toBe(true)
})

it('the link of an invitation requests JavaScript where it is off', async () => {
  const page = await open(acceptPage, `/session/accept#${token}`, { javaScriptEnabled: false })
  expect(await page.getByText('This page needs JavaScript').isVisible()).toBe(true)
  const again = await open(acceptPage, new URL(page.url()).href)
  expect(await again.getByRole('button', { name: 'Continue' }).isVisible()).toBe(true)
})
