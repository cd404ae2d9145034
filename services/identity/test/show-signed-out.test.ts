import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newBrowser, readTitle } from './browsers.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('says that the person is signed out, and leads to the sign-in', async () => {
  const page = await newBrowser(world).get('/session/signed-out')
  expect([page.status, readTitle(page)]).toEqual([200, 'You are signed out'])
  expect(page.text).toContain('href="/session/sign-in"')
})
