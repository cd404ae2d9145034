import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { accessibilityViolations } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/**
 * Every page of the console as an administrator sees it: accessible, and complete in each width and colour scheme.
 * `CONSOLE_SCREENSHOTS` names a folder for pictures of the pages.
 */
const screenshots = process.env['CONSOLE_SCREENSHOTS']
const widths = [360, 768, 1_024, 1_440]
const schemes = ['light', 'dark'] as const
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
  await pay('tok_sandbox_visa')
}, 300_000)
afterAll(() => world?.stop())

const first = async (path: string) => (await world.call('GET', `${path}?limit=1`)).body.data[0].id

async function pay(token: string): Promise<void> {
  const { status } = await world.call('POST', '/v1/payment-proxy/transactions/authorize', {
    business_unit_id: world.tenant.business_unit_id,
    currency: 'EUR',
    amount: 1_999,
    external_reference: `order ${token}`,
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: token },
  })
  expect(status).toBe(201)
}

const pages = {
  home: async () => '',
  transactions: async () => '/transactions',
  'transactions of a filter without a match': async () => '/transactions?search=nothing',
  transaction: async () => `/transactions/${await first('/v1/payment-proxy/transactions')}`,
  'a transaction that does not exist': async () => `/transactions/${crypto.randomUUID()}`,
  'business units': async () => '/units',
  'deleted business units': async () => '/units?status=deleted',
  'business unit': async () => `/units/${world.tenant.business_unit_id}`,
  keys: async () => '/keys',
  'keys of a filter without a match': async () => '/keys?search=nothing',
  key: async () => `/keys/${await first('/v1/api-key/keys')}`,
  'a key that does not exist': async () => `/keys/${crypto.randomUUID()}`,
  roles: async () => '/roles',
  role: async () => `/roles/${await first('/v1/rbac/roles')}`,
  users: async () => '/users',
  user: async () => `/users/${await first('/v1/identity/users')}`,
  subscriptions: async () => '/subscriptions',
  deliveries: async () => '/deliveries',
  'deliveries of a filter without a match': async () => `/deliveries?tenant_event_id=${crypto.randomUUID()}`,
  audit: async () => '/audit',
  plan: async () => '/plan',
  account: async () => '/account',
  'no page': async () => '/nothing/here',
} as const

describe.each(Object.entries(pages))('%s', (name, pathOf) => {
  test('is accessible, and fits every width, in light and dark', async () => {
    const { page } = ada
    await page.goto(`${world.platform.gatewayUrl}/console${await pathOf()}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const loading = page.getByText('Loading …')
    for (const each of await loading.all()) await each.waitFor({ state: 'detached' })
    for (const colorScheme of schemes) {
      // Without the transitions of colours.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect([colorScheme, await accessibilityViolations(page)]).toEqual([colorScheme, []])
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        if (screenshots !== undefined) {
          await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) })
        }
        expect([width, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([width, 0])
        expect([width, await page.evaluate(clipped)]).toEqual([width, []])
      }
    }
  }, 240_000)
})

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})

/** The visible controls that are not wholly inside of the window, from left to right. */
const clipped = `[...document.querySelectorAll('a, button, input, select')]
  .filter((element) => element.checkVisibility() && !element.closest('[popover]:not(:popover-open)'))
  .filter((element) => !element.matches('[href="#main"]'))
  .filter((element) => { const { left, right } = element.getBoundingClientRect(); return left < 0 || right > innerWidth })
  .map((element) => element.outerHTML)`
