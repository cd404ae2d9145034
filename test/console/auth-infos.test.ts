/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain, tabTo } from './world.ts'

/** Credentials that deliveries carry, from the form to the endpoint. Each test needs the previous ones. */
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

const dialog = () => ada.page.getByRole('dialog')

test('an auth info of headers is created, and its page shows the header without its value', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Auth infos', exact: true }).click()
  await page.getByRole('button', { name: 'Create auth info' }).click()
  await dialog().getByLabel('Name', { exact: true }).fill('Ledger')
  await dialog().getByLabel('Hosts').fill(new URL(endpoint.url).host)
  await dialog().getByLabel('Headers').fill('Host: elsewhere')
  await dialog().getByRole('button', { name: 'Create auth info' }).click()
  await page.locator('textarea[aria-invalid="true"]').waitFor()
  await dialog().getByLabel('Headers').fill('X-Ledger-Key: k-4711\nX-Region: north')
  await dialog().getByRole('button', { name: 'Create auth info' }).click()
  await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor()
  await page.getByText('X-Ledger-Key').waitFor()
  await page.getByText('No subscription uses it.').waitFor()
  expect(await page.content()).not.toContain('k-4711')
}, 240_000)

test('every scheme has a form that the API accepts', async () => {
  const { page } = ada
  const forms = {
    'User name and password': { 'User name': 'payments', Password: 'correct horse' },
    'API credential': { 'Name of the header or parameter': 'Authorization', Credential: 't-0815' },
    'OAuth 2 client credentials': { 'Token URL': `${endpoint.url}/token`, 'Client id': 'a', 'Client secret': 'b' },
  }
  for (const [scheme, texts] of Object.entries(forms)) {
    await page.getByRole('link', { name: 'Auth infos', exact: true }).click()
    await page.getByRole('button', { name: 'Create auth info' }).click()
    await dialog().getByLabel('Name', { exact: true }).fill(`${scheme} of a shop`)
    await dialog().getByLabel('Scheme').selectOption(scheme)
    for (const [label, text] of Object.entries(texts)) await dialog().getByLabel(label, { exact: true }).fill(text)
    await dialog().getByRole('button', { name: 'Create auth info' }).click()
    await page.getByRole('heading', { name: `${scheme} of a shop`, level: 1 }).waitFor()
  }
  const { body } = await world.call('GET', '/v1/webhooks/auth-info')
  expect(body.data.map(({ type }: { type: string }) => type).sort()).toEqual([
    'api_credential',
    'basic',
    'custom_headers',
    'oauth2_client_credentials',
  ])
}, 240_000)

test('a subscription is created with an auth info, and its deliveries carry the credentials', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Subscriptions', exact: true }).click()
  await page.getByRole('button', { name: 'Create subscription' }).click()
  await dialog().getByLabel('Endpoint URL').fill(endpoint.url)
  await dialog().getByLabel('Label').fill('shop')
  await dialog().getByLabel('Auth info').selectOption('Ledger')
  await dialog().getByRole('button', { name: 'Create subscription' }).click()
  await signInAgain(ada, /Confirm at the sign-in provider/, 'ada')
  await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('delivered', { exact: true }).first().waitFor()
  expect(endpoint.received[0]?.headers['x-ledger-key']).toBe('k-4711')
}, 240_000)

test('its page names the subscription that uses it, and offers no deletion', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Ledger' }).click()
  await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'shop' }).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByText('is used by 1 subscription').waitFor()
  expect(await page.getByRole('button', { name: /^Delete/ }).getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Escape')
}, 240_000)

test('the values are revealed by keyboard, and hidden when the window loses the focus', async () => {
  const { page } = ada
  await tabTo(page, 'button', 'Reveal')
  await page.keyboard.press('Enter')
  await page.getByText('k-4711', { exact: true }).waitFor()
  await page.evaluate('window.dispatchEvent(new Event("blur"))')
  await page.getByRole('button', { name: 'Reveal' }).waitFor()
  expect(await page.content()).not.toContain('k-4711')
}, 240_000)

test('a host that another person removes while the form is open stays removed, and the credentials stay', async () => {
  const tab = await ada.context.newPage()
  const config = { headers: { 'X-Key': 'k-1' } }
  const hosts = ['a.example.com', 'b.example.com']
  const authInfos = '/v1/webhooks/auth-info'
  const { body: created } = await world.call('POST', authInfos, { name: 'Two', hosts, type: 'custom_headers', config })
  await tab.goto(`${world.platform.gatewayUrl}/console/auth-infos/${created.id}`)
  await tab.getByRole('button', { name: 'Edit' }).click()
  await tab.getByLabel('Hosts').fill('a.example.com\nb.example.com\nc.example.com')
  await world.call('PUT', `${authInfos}/${created.id}`, { hosts: ['a.example.com'] })
  await tab.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await tab.getByRole('dialog').waitFor({ state: 'detached' })
  const { body } = await world.call('GET', `${authInfos}/${created.id}/reveal`)
  expect([body.hosts, body.config]).toEqual([['a.example.com', 'c.example.com'], config])
  await tab.close()
}, 240_000)

test('credentials are replaced as a whole, and the next delivery carries the replacement', async () => {
  const { page } = ada
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog().getByLabel('Replace the credentials').check()
  await dialog().getByLabel('Headers').fill('X-Ledger-Key: k-4712')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await page.getByText('X-Region').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'shop' }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  const [delivered] = await endpoint.waitFor(({ headers }) => headers['x-ledger-key'] === 'k-4712')
  expect(delivered?.headers['x-region']).toBeUndefined()
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})
