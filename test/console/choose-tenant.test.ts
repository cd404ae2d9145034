/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { accessibilityViolations, type Page } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { chooseAtProvider } from '../people/world.ts'
import { createCaller, onboard } from '../tenant.ts'
import { openNavigation } from './input.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, signInAgain, stepMs, tabTo } from './world.ts'

/** A person of two tenants chooses one, and a page that waits for a sign-in keeps its own. */
const [oneName, twoName] = [`Cedar One ${crypto.randomUUID()}`, `Cedar Two ${crypto.randomUUID()}`]
let one: ConsoleWorld
let two: ConsoleWorld
let dev: SignedIn

beforeAll(async () => {
  one = await openConsoleWorld(sharedPlatform(), oneName)
  two = await openConsoleWorld(sharedPlatform(), twoName)
  dev = await one.signIn('dev')
  await two.join(dev, 'dev')
}, 300_000)
afterAll(async () => {
  await one?.stop()
  await two?.stop()
})

const tenantLink = (page: Page, name: string) => page.getByRole('link', { name: `Tenant ${name}: choose another one` })
const button = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(name) })

test('the shell names the tenant of a person with several, and leads to the choice, which works by keyboard', async () => {
  const { page } = dev
  await tenantLink(page, twoName).click()
  await page.getByRole('heading', { name: 'Choose an organization', level: 1 }).waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  await tabTo(page, 'button', new RegExp(oneName))
  await page.keyboard.press('Enter')
  await tenantLink(page, oneName).waitFor()
}, 240_000)

/** Opens the tenant in another tab whose scripts do not load, so that the tab sends the others no message. */
async function openSilently(name: string): Promise<void> {
  const tab = await dev.context.newPage()
  tab.setDefaultTimeout(stepMs)
  await tab.route(/\.js$/, (route) => route.abort())
  await tab.goto(`${one.platform.gatewayUrl}/session/choose-tenant`)
  await button(tab, name).click()
  await tab.waitForURL(/\/console$/)
  await tab.close()
}

const otherTenantDialog = (page: Page) => page.getByRole('dialog', { name: `Another tab has opened ${twoName}` })

async function namesOfRoles(world: ConsoleWorld): Promise<string[]> {
  const { body } = await world.call('GET', '/v1/rbac/roles?limit=200')
  return body.data.map(({ name }: { name: string }) => name)
}

test('a tab shows nothing of a tenant that another tab has opened, and leads there', async () => {
  const { page } = dev
  await two.call('POST', '/v1/rbac/roles', { name: 'only in two', permissions: [] })
  await page.goto(`${one.platform.gatewayUrl}/console/keys`)
  await tenantLink(page, oneName).waitFor()
  await openSilently(twoName)
  await openNavigation(page.getByRole('link', { name: 'Roles', exact: true }))
  await page.getByRole('link', { name: 'Roles', exact: true }).first().click()
  await otherTenantDialog(page).waitFor()
  const text = await page.locator('body').innerText()
  expect([text.includes(oneName), text.includes('only in two')]).toEqual([true, false])
  await page.getByRole('link', { name: `Open ${twoName}` }).click()
  await tenantLink(page, twoName).waitFor()
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('button', { name: `Switch to ${oneName}` }).click()
  await tenantLink(page, oneName).waitFor()
}, 240_000)

test('a form of a tab changes nothing in a tenant that another tab has opened, and is sent after a switch back', async () => {
  const { page } = dev
  await page.goto(`${one.platform.gatewayUrl}/console/roles`)
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('written in one')
  await openSilently(twoName)
  const form = page.getByRole('dialog', { name: 'Create a role' })
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.request().method() === 'POST' && each.url().endsWith('/v1/rbac/roles')),
    form.getByRole('button', { name: 'Create role' }).click(),
  ])
  const { code } = (await response.json()) as { code: unknown }
  expect(code).toBe('session_of_another_tenant')
  await otherTenantDialog(page).waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  expect([await namesOfRoles(one), await namesOfRoles(two)].flat()).not.toContain('written in one')
  await page.getByRole('button', { name: `Switch back to ${oneName}` }).click()
  await otherTenantDialog(page).waitFor({ state: 'detached' })
  await form.getByText('This attempt changed nothing.').first().waitFor()
  expect(await namesOfRoles(one)).not.toContain('written in one')
  await form.getByRole('button', { name: 'Create role' }).click()
  await page.getByRole('heading', { name: 'written in one', level: 1 }).waitFor()
  expect(await namesOfRoles(one)).toContain('written in one')
  expect(await namesOfRoles(two)).not.toContain('written in one')
}, 240_000)

test('a form that waits for a sign-in is sent in the tenant of its page', async () => {
  const { page } = dev
  await page.goto(`${one.platform.gatewayUrl}/console/roles`)
  await page.getByRole('button', { name: 'Create role' }).click()
  await page.getByLabel('Name', { exact: true }).fill('after the sign-in')
  const { body: users } = await one.call('GET', '/v1/identity/users')
  for (const { id } of users.data) await one.call('DELETE', `/v1/identity/users/${id}/sessions`)
  await page.getByRole('dialog').getByRole('button', { name: 'Create role' }).click()
  await signInAgain(dev, /^Sign in$/, 'dev')
  await page.getByRole('heading', { name: 'after the sign-in', level: 1 }).waitFor()
  await tenantLink(page, oneName).waitFor()
  expect(await namesOfRoles(one)).toContain('after the sign-in')
}, 240_000)

test('a sign-in that no page requested leads to the choice, with the last tenant first', async () => {
  await dev.context.clearCookies()
  const page = await dev.context.newPage()
  page.setDefaultTimeout(stepMs)
  await page.goto(`${one.platform.gatewayUrl}/console`)
  await chooseAtProvider(page, dev.people.dev)
  await page.getByRole('heading', { name: 'Choose an organization', level: 1 }).waitFor()
  expect(await page.getByRole('button').first().innerText()).toContain(oneName)
  await button(page, twoName).click()
  await tenantLink(page, twoName).waitFor()
}, 240_000)

test('the page after a sign-in says so where there is no session, and leads to the sign-in', async () => {
  const context = await one.browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(stepMs)
  await page.goto(`${one.platform.gatewayUrl}/console/signed-in`)
  await page.getByRole('heading', { name: 'You are not signed in', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Sign in' }).click()
  await chooseAtProvider(page, one.people.dev)
  await page.getByRole('heading', { name: 'Choose an organization', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/session/choose-tenant')
  await context.close()
}, 240_000)

test('the invitation of another tenant stands above the page, with space between them', async () => {
  const name = `Cedar Three ${crypto.randomUUID()}`
  const three = await onboard(one.platform, name)
  const call = createCaller(one.platform, three.api_key.value, three.tenant_id)
  const { body: roles } = await call('GET', '/v1/rbac/roles')
  const body = { email: dev.people.dev, role_ids: [roles.data[0].id] }
  expect((await call('POST', '/v1/identity/user-invitations', body)).status).toBe(201)
  const page = await dev.context.newPage()
  page.setDefaultTimeout(stepMs)
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${one.platform.gatewayUrl}/console/roles`)
    const notice = await page
      .getByRole('status')
      .filter({ hasText: `${name} invites you.` })
      .boundingBox()
    const main = await page.getByRole('heading', { name: 'Roles', level: 1 }).boundingBox()
    expect(Number(main?.y) - (Number(notice?.y) + Number(notice?.height))).toBeGreaterThanOrEqual(16)
  }
}, 240_000)
