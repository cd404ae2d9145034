/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain, tabTo } from './world.ts'

/** A webhook from its subscription to a repaired endpoint, live on the screen. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn
let endpoint: Receiver

beforeAll(async () => {
  endpoint = await receiver()
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada', { minutesAgo: 10 })
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await endpoint?.close()
})

const deliveryRows = () => ada.page.getByRole('table', { name: 'Deliveries' }).getByRole('link')

test('a subscription is created after a fresh sign-in, and its page shows the response to a test event', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Subscriptions', exact: true }).click()
  await page.getByRole('button', { name: 'Create subscription' }).click()
  await page.getByLabel('Endpoint URL').fill(endpoint.url)
  await page.getByLabel('Label').fill('shop')
  await page.getByText(/^Choose from \d+ event types$/).click()
  for (const type of ['webhooks.test', 'rbac.roles.create']) {
    await page.getByRole('checkbox', { name: type }).check()
  }
  expect(await page.getByLabel('Event types').inputValue()).toBe('webhooks.test\nrbac.roles.create')
  await page.getByRole('dialog').getByRole('button', { name: 'Create subscription' }).click()
  await signInAgain(ada, /Confirm at the sign-in provider/, 'ada')
  await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor()
  await page.getByText('No delivery matches.').waitFor()
  expect(await page.getByText('rbac.roles.create', { exact: true }).count()).toBe(1)
  await page.getByRole('button', { name: 'Send test event' }).click()
  const shown = page.getByRole('region', { name: 'Response to the test event' })
  await shown.getByText('The endpoint accepted the test event: 200').waitFor()
  await page.getByText('delivered', { exact: true }).first().waitFor()
  expect(await deliveryRows().count()).toBe(1)
  expect(endpoint.received).toHaveLength(1)
}, 240_000)

test('a failing endpoint is seen live, its responses are on the page of the delivery, and a retry delivers', async () => {
  const { page } = ada
  endpoint.respondWith(() => ({ status: 500, body: 'out of beans\u202e <img src=x onerror=alert(1)>' }))
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('dead', { exact: true }).first().waitFor()
  await deliveryRows().first().click()
  await page.getByRole('article', { name: 'Attempt 3' }).waitFor()
  const response = await page.getByRole('region', { name: 'Response of attempt 3' }).innerText()
  expect(response).toBe('out of beans\\u202e <img src=x onerror=alert(1)>')
  endpoint.respondWith(() => ({ status: 200 }))
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('delivered', { exact: true }).first().waitFor()
  expect(endpoint.received.length).toBeGreaterThanOrEqual(5)
}, 240_000)

test('the list of all deliveries says where each went, and is filtered by endpoint and time', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
  const destinations = page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('link', { name: new URL(endpoint.url).host })
  await destinations.nth(1).waitFor()
  await page.getByLabel('Endpoint', { exact: true }).selectOption('shop')
  await page.waitForURL(/subscription_id=/)
  await destinations.first().waitFor({ state: 'detached' })
  await page.getByLabel('To', { exact: true }).fill('2026-01-01T00:00')
  await page.getByText('No delivery matches.').waitFor()
  expect(new URL(page.url()).searchParams.get('created_before')).toMatch(/^202[56]-/)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await destinations.first().click()
  await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor()
  await deliveryRows().first().click()
}, 240_000)

test('the request that caused a delivery is one link away', async () => {
  const { page } = ada
  await page.getByRole('link', { name: /^the request/ }).click()
  await page.getByRole('table', { name: 'Audit records' }).getByText('sendTestEvent').waitFor()
  expect(new URL(page.url()).searchParams.get('trace_id')).toMatch(/^[0-9a-f-]{36}$/)
}, 240_000)

test('the signing secret is revealed by keyboard', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Subscriptions', exact: true }).click()
  await page.getByRole('link', { name: 'shop' }).click()
  await tabTo(page, 'button', 'Reveal')
  await page.keyboard.press('Enter')
  const secret = page.getByText(/^whsec_[A-Za-z0-9+/=]{20,}$/)
  await secret.waitFor()
  expect(await secret.count()).toBe(1)
}, 240_000)

test('a deletion says how many deliveries are discarded', async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('No delivery is waiting. A deleted subscription cannot be restored.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('disabled', { exact: true }).waitFor()
  const role = { name: 'cook', permissions: ['transaction:ReadTransaction'] }
  expect((await world.call('POST', '/v1/rbac/roles', role)).status).toBe(201)
  await page.getByText('held', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('1 delivery not sent yet will be discarded.').waitFor()
  await dialog.getByLabel('Type “shop” to confirm').fill('shop')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Subscriptions', level: 1 }).waitFor()
  expect(await page.getByRole('link', { name: 'shop' }).count()).toBe(0)
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})
