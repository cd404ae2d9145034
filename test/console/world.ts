/** A tenant on the shared platform, and people of it in real browsers. */
import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import { withClient } from '@payments/devkit/servers/databases'
import { type Browser, type BrowserContext, openBrowser, type Page } from '@payments/testing/peers/browser'
import type { Platform } from '@payments/testing/platform/local-stack'
import { chooseAtProvider, invitationLink } from '../people/world.ts'
import { type Call, createCaller, type Onboarded, onboard } from '../tenant.ts'
import { openNavigation, useInput, viewport } from './input.ts'

/** The people of a world. */
export type Person = 'ada' | 'dev' | 'viv'

export interface ConsoleWorld {
  readonly platform: Platform
  readonly browser: Browser
  readonly tenant: Onboarded
  readonly call: Call
  /** The email addresses of the people of this world, which no other test file has. */
  readonly people: Readonly<Record<Person, string>>
  /** Opens the console as a person with these roles, in its own browser profile. */
  readonly signIn: (person: Person, options?: SignInOptions) => Promise<SignedIn>
  /** Opens the console by the newest invitation of the person, in its own browser profile. */
  readonly accept: (person: Person, options?: Pick<SignInOptions, 'minutesAgo'>) => Promise<SignedIn>
  /**
   * Adds the tenant to the tenants of a person who is signed in elsewhere, and opens it in the same browser profile.
   */
  readonly join: (signedIn: SignedIn, person: Person) => Promise<void>
  readonly stop: () => Promise<void>
}

interface SignInOptions {
  /** Default: admin. */
  readonly roleName?: string
  /** Default: now. */
  readonly minutesAgo?: number
}

export interface SignedIn {
  /** Those of the world in which the browser was opened. */
  readonly people: ConsoleWorld['people']
  readonly page: Page
  readonly context: BrowserContext
  /** Faults that no journey may have: denied requests, errors of scripts, policy violations, requests elsewhere. */
  readonly faults: string[]
}

/** How long a step of a journey may take on a busy machine. */
export const stepMs = 60_000

export async function openConsoleWorld(
  platform: Platform,
  name = 'Juniper Coffee',
  browserOptions: Parameters<typeof openBrowser>[0] = {},
): Promise<ConsoleWorld> {
  const browser = await openBrowser(browserOptions)
  const tenant = await onboard(platform, name)
  const call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  const people = { ada: createAddress('ada'), dev: createAddress('dev'), viv: createAddress('viv') }
  const accept: ConsoleWorld['accept'] = async (person, { minutesAgo = 0 } = {}) => {
    const link = await invitationLink(call, people[person])
    const signedIn = { ...(await openByLink(platform, browser, people[person], link)), people }
    if (minutesAgo > 0) await signInEarlier(platform, tenant, minutesAgo)
    await signedIn.context.unroute(api)
    await signedIn.page.reload()
    // Those of the page without an API.
    signedIn.faults.length = 0
    await signedIn.page.getByRole('heading', { level: 1 }).waitFor()
    return signedIn
  }
  return {
    platform,
    browser,
    tenant,
    call,
    people,
    signIn: async (person, { roleName = 'admin', minutesAgo = 0 } = {}) => {
      await invite({ call, tenant }, people[person], roleName)
      return accept(person, { minutesAgo })
    },
    accept,
    join: async (signedIn, person) => {
      const email = signedIn.people[person]
      await invite({ call, tenant }, email, 'admin')
      await acceptIn(signedIn.page, email, await invitationLink(call, email))
    },
    stop: () => browser.close(),
  }
}

/** Files of other workers have people of the same names at the same platform. */
const createAddress = (name: Person) => `${name}@juniper-${randomUUID().slice(0, 8)}.example`

async function invite({ call, tenant }: Pick<ConsoleWorld, 'call' | 'tenant'>, email: string, roleName: string) {
  const { body: roles } = await call('GET', '/v1/rbac/roles?limit=200')
  const role = roles.data.find(({ name }: { name: string }) => name === roleName)
  if (role === undefined) throw new Error(`the tenant ${tenant.tenant_id} has no role ${roleName}`)
  const body = { email, role_ids: [role.id] }
  const { status, body: reply } = await call('POST', '/v1/identity/user-invitations', body)
  if (status !== 201) throw new Error(JSON.stringify(reply))
}

const api = '**/v1/**'

async function signInEarlier(platform: Platform, { tenant_id }: Onboarded, minutes: number): Promise<void> {
  await withClient(platform.databases.identity.ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rowCount } = await owner.query(
      `UPDATE sessions SET authenticated_at = authenticated_at - make_interval(mins => $2) WHERE tenant_id = $1`,
      [tenant_id, minutes],
    )
    if (rowCount === 0) throw new Error('there is no session to change')
  })
}

async function openByLink(platform: Platform, browser: Browser, email: string, link: string) {
  const context = await browser.newContext({ permissions: ['clipboard-write', 'clipboard-read'], viewport })
  const faults: string[] = []
  context.on('page', (page) => watch(page, platform.gatewayUrl, faults))
  const page = await context.newPage()
  page.setDefaultTimeout(stepMs)
  useInput(page)
  // The gateways do not know the session before the test has changed it.
  await context.route(api, (route) => route.abort())
  await acceptIn(page, email, link)
  return { page, context, faults }
}

async function acceptIn(page: Page, email: string, link: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('button', { name: 'Continue' }).click()
  await chooseAtProvider(page, email)
  await page.waitForURL(/\/console$/)
}

function watch(page: Page, gatewayUrl: string, faults: string[]): void {
  const isOurs = () => page.url().startsWith(`${gatewayUrl}/console`)
  page.on('pageerror', ({ message }) => faults.push(`error of a script: ${message}`))
  page.on('console', (message) => {
    // Chromium also prints each response with a status from 400 on; `response` sees those.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  page.on('response', (response) => {
    if (response.status() === 403 || response.status() >= 500) faults.push(`${response.status()} ${response.url()}`)
  })
  page.on('request', (request) => {
    if (isOurs() && !request.isNavigationRequest() && new URL(request.url()).origin !== gatewayUrl) {
      faults.push(`request to ${request.url()}`)
    }
  })
}

/** The sign-in of a waiting page, in the tab that its dialog opens. */
export async function signInAgain(signedIn: SignedIn, button: RegExp, person: Person): Promise<void> {
  const { page, context, people } = signedIn
  const [tab] = await Promise.all([context.waitForEvent('page'), page.getByRole('link', { name: button }).click()])
  tab.setDefaultTimeout(stepMs)
  await chooseAtProvider(tab, people[person])
  await page.getByRole('link', { name: button }).waitFor({ state: 'detached' })
}

/** Moves the focus with Tab to the control with this role and name. */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: string | RegExp): Promise<void> {
  const target = page.getByRole(role, { name }).first()
  await openNavigation(target)
  await target.waitFor()
  await page.bringToFront()
  await page.evaluate('window.focus()')
  for (let presses = 0; presses < tabsMax; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  const focused = await page.evaluate('document.activeElement?.outerHTML.slice(0, 300)')
  expect(`the focus reaches ${role} ${name}; it is at ${String(focused)}`).toBe('reached')
}

/** More than a page has controls whose list grows meanwhile. */
const tabsMax = 2_000
