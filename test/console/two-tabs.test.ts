/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { chooseAtProvider } from '../people/world.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, stepMs } from './world.ts'

/** Two tabs, two tenants, and a network that fails. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn
let subscriptionId: string

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform(), 'Alder Books')
  ada = await world.signIn('ada')
  const { body } = await world.call('POST', subscriptionsPath(), { destination_url: 'https://hooks.example.com/a' })
  subscriptionId = body.id
}, 300_000)
afterAll(() => world?.stop())

const subscriptionsPath = () => `/v1/webhooks/${world.tenant.business_unit_id}/webhooks`
const readSubscription = async () => (await world.call('GET', `${subscriptionsPath()}/${subscriptionId}`)).body
const consoleUrl = (path: string) => `${world.platform.gatewayUrl}/console${path}`

async function openSubscription(page: Page): Promise<void> {
  await page.goto(consoleUrl(`/subscriptions/${world.tenant.business_unit_id}/${subscriptionId}`))
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Label').waitFor()
}

test('two tabs edit one subscription: each keeps its change, and the second says that there was another', async () => {
  const first = ada.page
  const second = await ada.context.newPage()
  second.setDefaultTimeout(stepMs)
  await openSubscription(first)
  await openSubscription(second)
  await second.getByLabel('Label').fill('from the second tab')
  await second.getByRole('button', { name: 'Save' }).click()
  await second.getByRole('heading', { name: 'from the second tab', level: 1 }).waitFor()
  await first.getByText('This was changed while you edited it.').waitFor()
  await first.getByLabel('Endpoint URL').fill('https://hooks.example.com/b')
  await first.getByRole('button', { name: 'Save' }).click()
  await first.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await readSubscription()).toMatchObject({
    label: 'from the second tab',
    destination_url: 'https://hooks.example.com/b',
  })
  await second.close()
}, 240_000)

test('a form that is saved without a change sends nothing', async () => {
  const { page } = ada
  const before = await readSubscription()
  await openSubscription(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await readSubscription()).toEqual(before)
}, 240_000)

test('without a network, a form says that it may have taken effect, and is created once when it is sent again', async () => {
  const { page, context } = ada
  await page.goto(consoleUrl('/roles'))
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('offline')
  await context.setOffline(true)
  const submit = page.getByRole('dialog').getByRole('button', { name: 'Create role' })
  await submit.click()
  await page
    .getByRole('dialog')
    .getByText(/It may have taken effect/)
    .waitFor()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('offline')
  await context.setOffline(false)
  await submit.click()
  await page.getByRole('heading', { name: 'offline', level: 1 }).waitFor()
  const { body } = await world.call('GET', '/v1/rbac/roles?limit=200')
  expect(body.data.filter(({ name }: { name: string }) => name === 'offline')).toHaveLength(1)
}, 240_000)

test('on a slow network, a second click on a button that waits has no effect', async () => {
  const { page, context } = ada
  const session = await context.newCDPSession(page)
  await page.goto(consoleUrl('/roles'))
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('slow')
  const slow = { offline: false, latency: 2_000, downloadThroughput: 20_000, uploadThroughput: 20_000 }
  await session.send('Network.emulateNetworkConditions', slow)
  const submit = page.getByRole('dialog').getByRole('button', { name: 'Create role' })
  await submit.click()
  const waiting = page.getByRole('button', { name: 'One moment …' })
  await waiting.waitFor()
  expect(await waiting.isDisabled()).toBe(true)
  await page.getByLabel('Name', { exact: true }).press('Enter')
  await page.getByRole('heading', { name: 'slow', level: 1 }).waitFor()
  await session.detach()
  const { body } = await world.call('GET', '/v1/rbac/roles?limit=200')
  expect(body.data.filter(({ name }: { name: string }) => name.startsWith('slow'))).toHaveLength(1)
}, 240_000)

test('a rejected form says why at once, while the lists behind it are read again', async () => {
  const { page } = ada
  await page.goto(consoleUrl('/roles'))
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('offline')
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/v1/rbac/roles?*', async (route) => {
    await released
    await route.continue()
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Create role' }).click()
  await page.getByRole('dialog').getByText('is the name of another role').waitFor()
  release()
  await page.unrouteAll({ behavior: 'wait' })
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('offline')
}, 240_000)

test('after a switch of tenant, the other tabs say so, and nothing of the previous one is shown or done', async () => {
  const { page, context } = ada
  const elsewhere = await openConsoleWorld(world.platform, 'Birch Tea')
  await elsewhere.stop()
  const left = await context.newPage()
  left.setDefaultTimeout(stepMs)
  await openSubscription(left)
  await elsewhere.join(ada, 'ada')
  await page.getByRole('heading', { name: 'Birch Tea', level: 1 }).waitFor()
  await left.getByRole('heading', { name: 'Another tab has opened Birch Tea' }).waitFor()
  await left.getByRole('link', { name: 'Open Birch Tea' }).click()
  await left.getByRole('heading', { name: 'Birch Tea', level: 1 }).waitFor()
  for (const path of ['/keys', '/subscriptions', '/deliveries', '/audit', '/plan']) {
    await page.goto(consoleUrl(path))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle').catch(() => {})
    const text = await page.locator('body').innerText()
    for (const foreign of [world.tenant.tenant_id, world.tenant.business_unit_id, 'hooks.example.com']) {
      expect([path, text.includes(foreign)]).toEqual([path, false])
    }
  }
  await page.goto(consoleUrl(`/subscriptions/${world.tenant.business_unit_id}/${subscriptionId}`))
  await page.getByText('This does not exist, or was deleted.').waitFor()
  await page.getByText('This page shows Birch Tea.').waitFor()
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('button', { name: 'Switch to Alder Books' }).click()
  await page.getByRole('heading', { name: 'Alder Books', level: 1 }).waitFor()
  expect(ada.faults).toEqual([])
}, 240_000)

test('after another person has signed in with one tab, the other tabs act as that person and say so', async () => {
  await world.signIn('viv', { roleName: 'viewer' })
  const left = await ada.context.newPage()
  left.setDefaultTimeout(stepMs)
  await left.goto(consoleUrl('/roles'))
  await left.getByRole('button', { name: /^Menu of Ada/ }).waitFor()
  await ada.context.clearCookies()
  const page = await ada.context.newPage()
  page.setDefaultTimeout(stepMs)
  await page.goto(consoleUrl('/keys'))
  await chooseAtProvider(page, ada.people.viv)
  await page.getByRole('button', { name: /^Menu of Viv/ }).waitFor()
  await left.getByRole('button', { name: /^Menu of Viv/ }).waitFor()
  expect(new URL(left.url()).pathname).toBe('/console')
}, 240_000)
