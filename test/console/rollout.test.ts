/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** A page that was opened before a rollout, whose next chunks no replica has any more. */
let world: ConsoleWorld
let ada: SignedIn
/** Until the page loads again. */
let isPrevious = true

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/events`)
  await page.getByLabel('Resource id').fill('typed')
  await page.route('**/console/assets/*.js', (route) =>
    isPrevious ? route.fulfill({ status: 404 }) : route.continue(),
  )
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isPrevious = false
  })
}, 300_000)
afterAll(() => world?.stop())

const linkOfUsers = () => ada.page.getByRole('link', { name: 'Users', exact: true })

test('a link under the pointer, whose chunk is missing, leaves the page as it is', async () => {
  const { page } = ada
  const missing = page.waitForResponse((response) => response.status() === 404)
  await linkOfUsers().hover()
  await missing
  // A page that loads again ends the scripts of the test in it.
  for (let requests = 0; requests < 5; requests++) {
    expect(await page.evaluate<number>(`fetch('/console').then(({ status }) => status)`)).toBe(200)
  }
  expect(await page.getByLabel('Resource id').inputValue()).toBe('typed')
  expect(isPrevious).toBe(true)
}, 240_000)

test('the page of the link loads the console again, once, and is shown', async () => {
  const { page } = ada
  await linkOfUsers().click()
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  expect([new URL(page.url()).pathname, isPrevious]).toEqual(['/console/users', false])
}, 240_000)
