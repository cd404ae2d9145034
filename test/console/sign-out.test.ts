/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type ConsoleWorld, openConsoleWorld, type SignedIn } from './world.ts'

/** After a sign-out, the browser shows nothing of the tenant to the next person who uses it. */
let world: ConsoleWorld
let ada: SignedIn
beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform(), 'Left Behind', { restoresDocuments: true })
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

test('a sign-out ends the other tabs, and the Back button leads to the sign-in', async () => {
  const { page, context } = ada
  const keys = `${world.platform.gatewayUrl}/console/keys`
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto(keys)
    await tab.getByRole('link', { name: 'First key' }).waitFor()
  }
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const tab of [page, other]) {
    await tab.waitForURL(/\/session\/signed-out$/)
    await tab.evaluate(() => void setTimeout(() => history.back()))
    await tab.waitForURL(({ pathname }) => !/^\/console|\/signed-out$/.test(pathname))
    expect(await tab.content()).not.toContain('First key')
  }
}, 240_000)
