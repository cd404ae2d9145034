/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { accessibilityViolations } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { until } from '@payments/testing/services/until'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain } from './world.ts'

/** Faults while a page is open. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn
let dev: SignedIn
let viv: SignedIn
let userId: string

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
  viv = await world.signIn('viv', { roleName: 'viewer' })
  dev = await world.signIn('dev')
  const { body } = await world.call('GET', `/v1/identity/users?email=${world.people.dev}`)
  userId = body.data[0].id
}, 300_000)
afterAll(() => world?.stop())

const setRoles = async (name: string) => {
  const role = world.tenant.roles.find((each) => each.name === name)
  const { status } = await world.call('PATCH', `/v1/identity/users/${userId}`, { role_ids: [role?.id] })
  expect(status).toBe(200)
}

test('a session that ends while a person types is renewed in another tab, and the form is as it was', async () => {
  const { page } = dev
  await page.getByRole('link', { name: 'Roles', exact: true }).click()
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('accountant')
  await page.getByRole('checkbox', { name: 'ReadTransaction' }).check()
  expect((await world.call('DELETE', `/v1/identity/users/${userId}/sessions`)).body).toEqual({ ended: 1 })
  await page.getByRole('dialog').getByRole('button', { name: 'Create role' }).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('accountant')
  await signInAgain(dev, /^Sign in$/, 'dev')
  await page.getByRole('heading', { name: 'accountant', level: 1 }).waitFor()
  const { body } = await world.call('GET', '/v1/rbac/roles?limit=200')
  const created = body.data.filter(({ name }: { name: string }) => name === 'accountant')
  expect(created).toMatchObject([{ permissions: ['transaction:ReadTransaction'] }])
}, 240_000)

test('after the end of its session, a tab sends nothing until the person signs in again', async () => {
  const { page } = dev
  await page.clock.install()
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await page.getByRole('heading', { name: 'Transactions', level: 1 }).waitFor()
  expect((await world.call('DELETE', `/v1/identity/users/${userId}/sessions`)).body).toEqual({ ended: 1 })
  await page.clock.runFor(10_000)
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await page.clock.runFor(120_000)
  expect(sent).toEqual([])
  await signInAgain(dev, /^Sign in$/, 'dev')
  await page.clock.runFor(1_000)
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor({ state: 'detached' })
  await until(async () => {
    await page.clock.runFor(1_000)
    return sent.some((url) => url.includes('/v1/payment-proxy/transactions'))
  })
}, 240_000)

test('a permission that is removed while a page is open is no longer offered after the next request', async () => {
  const { page } = dev
  await page.getByRole('link', { name: 'API keys', exact: true }).click()
  await page.getByRole('link', { name: 'First key' }).click()
  await page.getByRole('heading', { name: 'First key', level: 1 }).waitFor()
  await setRoles('viewer')
  await page.reload()
  const rotate = page.getByRole('button', { name: /Rotate/ })
  await rotate.waitFor()
  expect(await rotate.getAttribute('aria-disabled')).toBe('true')
  expect(await rotate.getAttribute('title')).toBe('needs apikey:RotateKey')
  await rotate.click({ force: true })
  expect(await page.getByRole('dialog').count()).toBe(0)
}, 240_000)

test('a page that roles do not permit says which permission is missing, and sends no request that is refused', async () => {
  const { page } = dev
  await world.call('POST', '/v1/rbac/roles', { name: 'payments only', permissions: ['transaction:ReadTransaction'] })
  const { body } = await world.call('GET', '/v1/rbac/roles?limit=200')
  const roleId = body.data.find(({ name }: { name: string }) => name === 'payments only').id
  await world.call('PATCH', `/v1/identity/users/${userId}`, { role_ids: [roleId] })
  await page.goto(`${world.platform.gatewayUrl}/console/keys`)
  await page.getByText('It needs apikey:ReadKey.').waitFor()
  // Also in a narrow window, which hides it.
  const pages = page.locator('nav[aria-label=Pages] a')
  expect(await pages.allTextContents()).toEqual([
    'Home',
    'Transactions',
    'Plans and billing',
    'Account',
    'Documentation',
  ])
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const resources = ['roles', 'users', 'units', 'auth-infos', 'events', 'dead-letters', 'tasks', 'keys', 'invitations']
  const others = ['messages', 'templates', 'transactions']
  const ofUnit = [
    `/subscriptions/${one}/${other}`,
    `/subscriptions/${one}/${other}/recover`,
    `/deliveries/${one}/${other}`,
  ]
  const paths = [...resources, ...others].flatMap((name) => [`/${name}`, `/${name}/${one}`])
  for (const path of [
    '',
    ...paths,
    ...ofUnit,
    '/dead-letters/list',
    '/invitations/new',
    '/outbox',
    '/audit',
    '/account',
  ]) {
    await page.goto(`${world.platform.gatewayUrl}/console${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    await expectAccessible(page)
  }
  const rolesOnly = { name: 'roles only', description: '', permissions: ['rbac:ReadRole'] }
  expect((await world.call('PUT', `/v1/rbac/roles/${roleId}`, rolesOnly)).status).toBe(200)
  for (const path of ['/transactions', `/transactions/${one}`]) {
    await page.goto(`${world.platform.gatewayUrl}/console${path}`)
    await page.getByText('It needs transaction:ReadTransaction.').waitFor()
    await expectAccessible(page)
  }
  expect(dev.faults).toEqual([])
}, 240_000)

test('a person who is removed while a page is open sees so with the next action', async () => {
  const { page } = dev
  await page.goto(`${world.platform.gatewayUrl}/console/account`)
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  expect((await world.call('DELETE', `/v1/identity/users/${userId}`)).status).toBe(204)
  // The page may have found the end of its session by itself: its dialog is open then.
  await page.getByRole('link', { name: 'Plans and billing' }).dispatchEvent('click')
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  expect(await page.getByRole('link', { name: 'Sign in', exact: true }).getAttribute('target')).toBe('_blank')
}, 240_000)

test('a form that waits is not sent as another person who signs in', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/roles`)
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('smuggled')
  const { body } = await world.call('GET', `/v1/identity/users?email=${world.people.ada}`)
  await world.call('DELETE', `/v1/identity/users/${body.data[0].id}/sessions`)
  await page.getByRole('dialog').getByRole('button', { name: 'Create role' }).click()
  await signInAgain(ada, /^Sign in$/, 'viv')
  await page.getByRole('heading', { name: 'Juniper Coffee', level: 1 }).waitFor()
  expect(await page.getByRole('button', { name: /^Menu of Viv/ }).count()).toBe(1)
  const { body: roles } = await world.call('GET', '/v1/rbac/roles?limit=200')
  expect(roles.data.filter(({ name }: { name: string }) => name === 'smuggled')).toEqual([])
  // As a viewer, the request would have been denied.
  expect(ada.faults).toEqual([])
}, 240_000)

test('a sign-out without a network says that it failed, and the person is still signed in', async () => {
  const { page, context } = viv
  await context.setOffline(true)
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  const dialog = page.getByRole('dialog', { name: 'The sign-out failed' })
  const reason = dialog.getByText('Payment Service did not respond. You may still be signed in.')
  await reason.waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/session/sign-out'))
  await dialog.getByRole('button', { name: 'Sign out again' }).click()
  await failed
  await reason.waitFor()
  await context.setOffline(false)
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await page.getByRole('link', { name: 'API keys', exact: true }).click()
  await page.getByRole('link', { name: 'First key' }).waitFor()
  expect(viv.faults).toEqual([])
}, 240_000)

const checked = new Set<string>()

/** In light and dark. Pages whose elements are the same are checked once. */
async function expectAccessible(page: SignedIn['page']): Promise<void> {
  const elements = (await page.locator('main').innerHTML()).replaceAll(/>[^<]+</g, '><')
  if (checked.has(elements)) return
  checked.add(elements)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect([page.url(), colorScheme, await accessibilityViolations(page)]).toEqual([page.url(), colorScheme, []])
  }
}
