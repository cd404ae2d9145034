/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { accessibilityViolations } from '@payments/testing/peers/browser'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { until } from '../until.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, stepMs } from './world.ts'

/** Pages without a connection, and on a slow one. No test reloads a page that was open before. */
let world: ConsoleWorld
let ada: SignedIn
let endpoint: Receiver
let testPath: string

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  endpoint = await receiver()
  const path = `/v1/webhooks/${world.tenant.business_unit_id}/webhooks`
  const subscription = { destination_url: endpoint.url, event_types: ['webhooks.test'] }
  const { body } = await world.call('POST', path, subscription)
  testPath = `${path}/${body.id}/test`
  ada = await world.signIn('ada')
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await endpoint?.close()
})

const offline = () => ada.page.getByText('You are offline.')
const link = (name: string) => ada.page.getByRole('link', { name, exact: true })
const heading = (name: string) => ada.page.getByRole('heading', { name, level: 1 })

test('offline, a live list says when it was read, and shows what it missed once the connection is back', async () => {
  const { page, context } = ada
  await link('Deliveries').click()
  await heading('Deliveries').waitFor()
  await page.getByText('The list follows what happens.').waitFor()
  await context.setOffline(true)
  await offline().waitFor()
  await page.getByText(/^Not up to date: read at \d\d:\d\d:\d\d\.$/).waitFor()
  await page.getByText('The list follows what happens.').waitFor({ state: 'detached' })
  expect(await accessibilityViolations(page)).toEqual([])
  expect((await world.call('POST', testPath)).status).toBe(202)
  expect(await endpoint.waitFor(({ method }) => method === 'POST')).toHaveLength(1)
  await context.setOffline(false)
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('link', { name: 'webhooks.test' }).waitFor()
  await page.getByText('The list follows what happens.').waitFor()
  expect([await offline().count(), await page.getByText(/^Not up to date/).count()]).toEqual([0, 0])
}, 240_000)

test('a page that is opened offline opens by itself once the connection is back', async () => {
  const { page, context } = ada
  await context.setOffline(true)
  await offline().waitFor()
  await link('Users').click()
  await heading('This page could not be loaded').waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  await context.setOffline(false)
  await heading('Users').waitFor()
  expect(await offline().count()).toBe(0)
}, 240_000)

test('a page whose link was under the pointer while offline opens afterwards', async () => {
  const { page, context } = ada
  await context.setOffline(true)
  await offline().waitFor()
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/'))
  await link('Roles').hover()
  await failed
  await context.setOffline(false)
  await offline().waitFor({ state: 'detached' })
  await link('Roles').click()
  await heading('Roles').waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/roles')
}, 240_000)

test('a form that was sent offline is sent again as it was', async () => {
  const { page, context } = ada
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('  traveller ')
  await page.getByRole('checkbox', { name: 'ReadTransaction' }).check()
  await context.setOffline(true)
  const submit = page.getByRole('dialog').getByRole('button', { name: 'Create role' })
  await submit.click()
  await page
    .getByRole('dialog')
    .getByText(/The platform did not respond/)
    .waitFor()
  await context.setOffline(false)
  await offline().waitFor({ state: 'detached' })
  await submit.click()
  await heading('traveller').waitFor()
  const { body } = await world.call('GET', '/v1/rbac/roles?limit=200')
  expect(body.data.filter(({ name }: { name: string }) => name.includes('traveller'))).toMatchObject([
    { name: 'traveller', permissions: ['transaction:ReadTransaction'] },
  ])
}, 240_000)

test('a console that gets no response to its first request opens by itself', async () => {
  const page = await ada.context.newPage()
  let isLost = true
  await page.route('**', (route) => {
    const isFile = route.request().isNavigationRequest() || route.request().url().includes('/assets/')
    return isLost && !isFile ? route.abort() : route.continue()
  })
  await page.goto(`${world.platform.gatewayUrl}/console/keys`)
  await page.getByText('It opens by itself as soon as the connection is back.').waitFor()
  isLost = false
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  expect(await page.getByText(/as soon as the connection is back/).count()).toBe(0)
  await page.close()
}, 240_000)

test('a form stays while the page around it cannot be read again, which it is by itself later', async () => {
  const { body: payment } = await world.call('POST', '/v1/payment-proxy/transactions', {
    business_unit_id: world.tenant.business_unit_id,
    currency: 'EUR',
    amount: 100,
  })
  const context = await world.browser.newContext({ storageState: await ada.context.storageState() })
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(`${world.platform.gatewayUrl}/console/invitations/new?transaction_id=${payment.id}`)
  const recipient = page.getByLabel('Email address')
  await recipient.fill('payer@example.com')
  const transaction = `**/v1/payment-proxy/transactions/${payment.id}`
  const body = '{"code":"service_unavailable","detail":"Down."}'
  const problem = { status: 503, contentType: 'application/problem+json', body }
  await page.route(transaction, (route) => route.fulfill(problem))
  const jump = async () => {
    await page.clock.runFor(1_000)
    return page.getByText('This could not be read.').isVisible()
  }
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
  await until('the failure is shown', jump, stepMs)
  expect(await recipient.inputValue()).toBe('payer@example.com')
  await page.unroute(transaction)
  await page.clock.runFor(31_000)
  await page.getByText('This could not be read.').waitFor({ state: 'detached' })
  expect(await recipient.inputValue()).toBe('payer@example.com')
  await context.close()
}, 240_000)

/** Holds the scripts that the page requests until the returned function is called. */
async function holdScripts(page: SignedIn['page']): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/console/assets/*.js', async (route) => {
    await released
    await route.continue()
  })
  return release
}

test('the frame is painted before the script arrives, and bars before a page does', async () => {
  const page = await ada.context.newPage()
  const release = await holdScripts(page)
  await page.goto(`${world.platform.gatewayUrl}/console/keys`, { waitUntil: 'commit' })
  await page.locator('.start-main .bone').first().waitFor()
  const isPainted = () => page.evaluate<boolean>(`performance.getEntriesByName('first-paint').length > 0`)
  await until('the frame is painted', isPainted, stepMs)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await accessibilityViolations(page)).toEqual([])
  }
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  release()
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  expect(await page.locator('.start').count()).toBe(0)
  const releasePage = await holdScripts(page)
  await page.getByRole('link', { name: 'Audit', exact: true }).dispatchEvent('click')
  await page.locator('main .bone').first().waitFor()
  releasePage()
  await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
  await page.close()
}, 240_000)

test('a console whose scripts do not load says so, and opens by its link once they do', async () => {
  const page = await ada.context.newPage()
  const scripts = '**/console/assets/*.js'
  await page.route(scripts, (route) => route.abort())
  await page.goto(`${world.platform.gatewayUrl}/console/keys?search=first`, { waitUntil: 'commit' })
  await page.getByText('The console has not loaded.').waitFor({ timeout: stepMs })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await accessibilityViolations(page)).toEqual([])
  }
  await page.setViewportSize({ width: 180, height: 900 })
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  await page.unroute(scripts)
  await page.getByRole('link', { name: 'Load it again' }).click({ timeout: stepMs })
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor({ timeout: stepMs })
  expect(new URL(page.url()).search).toBe('?search=first')
  expect(await page.getByText('The console has not loaded.').count()).toBe(0)
  await page.close()
}, 240_000)

test('at 50 kB/s and 400 ms, the first paint comes before the script has arrived', async () => {
  const page = await ada.context.newPage()
  const session = await ada.context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
  await session.send('Network.emulateNetworkConditions', slow)
  await page.goto(`${world.platform.gatewayUrl}/console/keys`, { waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  const [paintedAt, scriptAt] = await page.evaluate<[number, number]>(`[
    performance.getEntriesByName('first-paint')[0].startTime,
    performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.js')).responseEnd,
  ]`)
  expect(scriptAt).toBeGreaterThan(0)
  expect(paintedAt).toBeLessThan(scriptAt)
  await page.close()
}, 240_000)
