/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { accessibilityViolations } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** A person of two tenants, of which the one of their session is suspended. */
const [oneName, twoName] = [`Aspen One ${crypto.randomUUID()}`, `Aspen Two ${crypto.randomUUID()}`]
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

const suspended = /^Your organization is suspended/

test('an open page says that the tenant is suspended, and does not read the person again and again', async () => {
  const { page } = dev
  await page.goto(`${one.platform.gatewayUrl}/console/roles`)
  await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
  let reads = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/v1/identity/self') reads += 1
  })
  expect((await one.platform.payctl('tenant', 'suspend', two.tenant.tenant_id)).code).toBe(0)
  const pages = Array.from({ length: 4 }, () => ['API keys', 'Business units', 'Roles']).flat()
  for (const name of pages) {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.getByText(suspended).first().waitFor()
  }
  // Each failed read of a page has one of the person.
  expect(reads).toBeLessThan(pages.length * 4)
}, 240_000)

test('the console opens no page, and leads to the other organization', async () => {
  const { page } = dev
  await page.reload()
  await page.getByRole('heading', { name: 'This page could not be loaded', level: 1 }).waitFor()
  await page.getByText(suspended).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'Choose another organization' }).click()
  await page.getByRole('button', { name: new RegExp(oneName) }).click()
  await page.getByText(oneName).first().waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Roles', exact: true }).waitFor()
  expect((await one.platform.payctl('tenant', 'resume', two.tenant.tenant_id)).code).toBe(0)
}, 240_000)

test('a person whose tenant is suspended signs out', async () => {
  const { page } = dev
  expect((await one.platform.payctl('tenant', 'suspend', one.tenant.tenant_id)).code).toBe(0)
  await page.reload()
  await page.getByText(suspended).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/session\/signed-out/)
  expect(new URL(page.url()).pathname).toBe('/session/signed-out')
}, 240_000)
