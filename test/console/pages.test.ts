import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { accessibilityViolations } from '@payments/testing/peers/browser'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { until } from '../until.ts'
import { missSome } from './missed.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/**
 * Every page of the console as an administrator sees it: accessible in each colour scheme, and complete in each width.
 * `CONSOLE_SCREENSHOTS` names a folder for pictures of the pages.
 */
const screenshots = process.env['CONSOLE_SCREENSHOTS']
/** With 320 and 640: a window of 1 280 px at a zoom of 400 % and 200 % (WCAG 1.4.4 and 1.4.10). */
/** The first: 360 px of a telephone at a zoom of 200 %. */
const widths = [180, 320, 360, 640, 768, 1_024, 1_440]
const schemes = ['light', 'dark'] as const
let world: ConsoleWorld
let ada: SignedIn
let resize: (width: number) => Promise<unknown>
let endpoint: Receiver
let unitId: string

beforeAll(async () => {
  endpoint = await receiver()
  world = await openConsoleWorld(sharedPlatform())
  unitId = world.tenant.business_unit_id
  await missSome(world, endpoint)
  ada = await world.signIn('ada')
  resize = await buildResize(ada)
  await pay('tok_sandbox_visa')

  await fill()
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await endpoint?.close()
})

/** Sets the width in a third of the CPU time of `setViewportSize`, whose size pictures need. */
async function buildResize({ page, context }: SignedIn): Promise<(width: number) => Promise<unknown>> {
  if (screenshots !== undefined) return (width) => page.setViewportSize({ width, height: 900 })
  const session = await context.newCDPSession(page)
  return (width: number) =>
    session.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false })
}

/** One item of each list that a fresh tenant has empty. */
async function fill(): Promise<void> {
  const text = 'Dear {{name}}, pay {{amount}} at {{payment_url}}.'
  const authInfo = { name: 'a'.repeat(100), type: 'custom_headers', config: { headers: { 'X-Key': 'k-4711' } } }
  await world.call('POST', '/v1/webhooks/auth-info', { ...authInfo, hosts: ['hooks.example.com'] })
  const variables = [{ name: 'name' }, { name: 'amount' }, { name: 'payment_url' }]
  const template = { name: 'Order', communication_type: 'EMAIL', subject: 'Your order', text, variables }
  const { body: created } = await world.call('POST', '/v1/communication/templates', template)
  await world.call('PATCH', `/v1/communication/templates/${created.id}`, { text: `${text}\nThank you.` })
  const { status } = await world.call('POST', '/v1/invite-to-pay/codes', {
    transaction: { business_unit_id: world.tenant.business_unit_id, currency: 'EUR', amount: 123_456 },
    communication_type: 'EMAIL',
    recipient: 'a.payer.with.a.rather.long.address@subsidiary.example.com',
    communication_details: { payer_name: 'Ada Lovelace', description: 'Coffee beans' },
  })
  expect(status).toBe(201)
  const isSent = async () => (await world.call('GET', '/v1/communication/communications')).body.data.length > 0
  await until('the message of the invitation', isSent, 60_000)
}

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

const firstEvent = async (query = '&event_type=webhooks.test') =>
  (await world.call('GET', `/v1/webhooks/events?limit=1${query}`)).body.data[0].tenant_event_id

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
  subscription: async () => `/subscriptions/${unitId}/${await first(`/v1/webhooks/${unitId}/webhooks`)}`,
  deliveries: async () => '/deliveries',
  'deliveries of a filter without a match': async () => `/deliveries?tenant_event_id=${crypto.randomUUID()}`,
  'dead letters': async () => '/dead-letters',
  'dead letters by subscription': async () => `/dead-letters?group_by=subscription`,
  'a group of dead letters': async () => '/dead-letters/list?error_kind=status&status_code=503',
  'a dead letter': async () => `/dead-letters/${await first('/v1/webhooks/dead-letters')}`,
  'dead letters of a filter without a match': async () => '/dead-letters/list?error_kind=dns',
  'dead letters of a wrong filter': async () => '/dead-letters/list?error_kind=nonsense',
  'a dead letter that does not exist': async () => `/dead-letters/${crypto.randomUUID()}`,
  tasks: async () => '/tasks',
  task: async () => `/tasks/${await first('/v1/webhooks/dead-letters/tasks')}`,
  'a task that does not exist': async () => `/tasks/${crypto.randomUUID()}`,
  'a recovery': async () => `/subscriptions/${unitId}/${await first(`/v1/webhooks/${unitId}/webhooks`)}/recover`,
  'auth infos': async () => '/auth-infos',
  'an auth info': async () => `/auth-infos/${await first('/v1/webhooks/auth-info')}`,
  'an auth info that does not exist': async () => `/auth-infos/${crypto.randomUUID()}`,
  events: async () => '/events',
  'events of a filter without a match': async () => `/events?resource_id=${crypto.randomUUID()}`,
  event: async () => `/events/${await firstEvent()}?business_unit_id=${unitId}`,
  'an event of the whole tenant': async () => `/events/${await firstEvent('&event_type=api-key.keys.create')}`,
  'events of a wrong filter': async () => '/events?event_type=nonsense',
  'an event that does not exist': async () => `/events/${crypto.randomUUID()}`,
  invitations: async () => '/invitations',
  'invitations of a filter without a match': async () => '/invitations?status=canceled',
  'an invitation to write': async () => '/invitations/new',
  invitation: async () => `/invitations/${await first('/v1/invite-to-pay/codes')}`,
  'an invitation that does not exist': async () => `/invitations/${crypto.randomUUID()}`,
  messages: async () => '/messages',
  'messages of a filter without a match': async () => '/messages?status=failed',
  message: async () => `/messages/${await first('/v1/communication/communications')}`,
  templates: async () => '/templates',
  'templates of a filter without a match': async () => '/templates?kind=custom&communication_type=SMS',
  template: async () => `/templates/${await first('/v1/communication/templates')}`,
  outbox: async () => '/outbox',
  audit: async () => '/audit',
  'audit of a filter without a match': async () => `/audit?trace_id=${crypto.randomUUID()}`,
  plan: async () => '/plan',
  'plan of an earlier month': async () => '/plan?month=2026-01',
  account: async () => '/account',
  'no page': async () => '/nothing/here',
} as const

describe.each(Object.entries(pages))('%s', (name, createPath) => {
  test('is accessible in light and dark, and fits every width in light', async () => {
    const { page } = ada
    await page.goto(`${world.platform.gatewayUrl}/console${await createPath()}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const loading = page.getByText('Loading …')
    for (const each of await loading.all()) await each.waitFor({ state: 'detached' })
    for (const colorScheme of schemes) {
      // Without the transitions of colours.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
      // The scheme changes colours only: test/tidy.test.ts.
      const isDark = colorScheme === 'dark'
      const violations = await accessibilityViolations(
        page,
        isDark ? { only: ['color-contrast', 'link-in-text-block'] } : {},
      )
      expect([colorScheme, violations]).toEqual([colorScheme, []])
      if (isDark && screenshots === undefined) continue
      for (const width of widths) {
        await resize(width)
        if (screenshots !== undefined) {
          await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`) })
        }
        const faults = await page.evaluate(`({
          width: innerWidth, overflow: document.documentElement.scrollWidth - innerWidth, clipped: ${clipped}, broken: ${brokenAmounts},
        })`)
        expect(faults).toEqual({ width, overflow: 0, clipped: [], broken: [] })
      }
    }
  }, 240_000)
})

/** Dialogs by the page and the buttons that open them. */
const dialogs = {
  'create a business unit': ['/units', 'Create business unit'],
  'create an API key': ['/keys', 'Create API key'],
  'create a role': ['/roles', 'Create role'],
  'invite a user': ['/users', 'Invite user'],
  'create a subscription': ['/subscriptions', 'Create subscription'],
  'create an auth info': ['/auth-infos', 'Create auth info'],
  'create a template': ['/templates', 'Create template'],
  'export audit records': ['/audit', 'Export'],
  'show a page as a request': ['/deliveries', 'Show as curl'],
} as const

describe.each(Object.entries(dialogs))('the dialog to %s', (name, [path, button]) => {
  test('fits narrow windows', async () => {
    const { page } = ada
    await page.setViewportSize({ width: 1_440, height: 900 })
    await page.goto(`${world.platform.gatewayUrl}/console${path}`)
    await page.getByRole('button', { name: button }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    for (const summary of await dialog.locator('details > summary').all()) await summary.click()
    for (const width of [180, 360]) {
      await page.setViewportSize({ width, height: 900 })
      if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name}-${width}.png`) })
      expect([width, await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)]).toEqual([width, 0])
      expect([width, await page.evaluate(clipped)]).toEqual([width, []])
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

/** The amounts that stand on more than one line. */
const brokenAmounts = `[...document.querySelectorAll('.amount')]
  .filter((element) => element.checkVisibility())
  .filter((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
  })
  .map((element) => element.textContent)`
