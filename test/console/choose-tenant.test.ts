import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { accessibilityViolations, type Page } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import {
  type ConsoleWorld,
  chooseAtProvider,
  openConsoleWorld,
  type SignedIn,
  signInAgain,
  stepMs,
  tabTo,
} from './world.ts'

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
  const { body: roles } = await one.call('GET', '/v1/rbac/roles?limit=200')
  expect(roles.data.map(({ name }: { name: string }) => name)).toContain('after the sign-in')
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
